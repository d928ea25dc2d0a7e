import { readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { FullstopError, ValueIssue } from 'fullstop';
import type { Script } from 'fullstop/testing';
import type { Document, Node, Pair } from 'yaml';
import { UsageError } from '../command-line/usage-error.js';

/** Reads the answers of `--scripted` from a file; what is wrong in it is named with its line and column. */
export async function loadScript(cwd: string, named: string): Promise<Script> {
  const file = resolve(cwd, named);
  const { parseScript } = await import('fullstop/testing');
  const { value, text } = await readValue(file, named);
  try {
    return parseScript(value);
  } catch (error) {
    const { issues = [] } = error as Partial<FullstopError>;
    if (issues.length === 0) throw error;
    throw new UsageError(await describeIssues(issues, { text, named }), { cause: error });
  }
}

interface ScriptText {
  readonly text: string;
  /** The file as it was named. */
  readonly named: string;
}

async function readValue(file: string, named: string): Promise<{ readonly value: unknown; readonly text: string }> {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, value: extname(file) === '.json' ? JSON.parse(text) : (await import('yaml')).parse(text) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageError(`The script ${named} cannot be read: ${problem}.`, { cause: error });
  }
}

async function describeIssues(issues: readonly ValueIssue[], { text, named }: ScriptText): Promise<string> {
  const { isMap, isSeq, LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  // JSON is YAML too, so that both have places.
  const document = parseDocument(text, { lineCounter });
  const lines = issues.map(({ path, message }) => {
    const { line, col } = lineCounter.linePos(offsetOf(document, path));
    return `${named}:${line}:${col}: ${path === '' ? '' : `${path}: `}${message}`;
  });
  return `The script ${named} cannot be used:\n${lines.join('\n')}`;

  /** Where the value of a path begins, or its key; that of the nearest value around it where nothing is there. */
  function offsetOf({ contents }: Document.Parsed, path: string): number {
    let [node, rest, offset] = [contents as Node | null, path, contents?.range?.[0] ?? 0];
    while (rest !== '') {
      const step = stepInto(node, rest);
      if (step === undefined) return offset;
      [node, rest, offset] = [step.node, step.rest, step.offset ?? offset];
    }
    return offset;
  }

  function stepInto(node: Node | null, rest: string): Step | undefined {
    if (isSeq(node)) {
      const [whole, index] = /^\[(\d+)\]\.?/.exec(rest) ?? [];
      const item = index === undefined ? undefined : (node.items[Number(index)] as Node | undefined);
      return whole === undefined || item === undefined
        ? undefined
        : { node: item, rest: rest.slice(whole.length), offset: item.range?.[0] };
    }
    if (!isMap(node)) return undefined;
    // Keys may hold the signs of a path, so the longest that fits is meant.
    const [pair] = (node.items as Pair<Node, Node | null>[])
      .filter(({ key }) => isKeyOf(String(key), rest))
      .sort((one, other) => String(other.key).length - String(one.key).length);
    if (pair === undefined) return undefined;
    const after = rest.slice(String(pair.key).length).replace(/^\./, '');
    return { node: pair.value, rest: after, offset: pair.key.range?.[0] };
  }
}

interface Step {
  readonly node: Node | null;
  readonly rest: string;
  readonly offset: number | undefined;
}

function isKeyOf(key: string, path: string): boolean {
  return path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
}
