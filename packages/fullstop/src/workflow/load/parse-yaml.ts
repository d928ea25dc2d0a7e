import { Composer, type CST, type Document, LineCounter, type ParsedNode, Parser } from 'yaml';
import type { Report } from './problem.js';
import type { Place } from './yaml-node.js';

/** The nodes of a YAML text as the parser gives them, with a way from an offset to a place. */
export interface ParsedYaml {
  readonly contents: ParsedNode | null;
  readonly text: string;
  place(offset: number): Place;
}

const deepest = 100;

/** Reads one YAML document without giving scalars a meaning; undefined when it has errors, which go to the report. */
export function parseYaml(text: string, file: string, report: Report): ParsedYaml | undefined {
  const lines = new LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const tooDeep = tokens.map(offsetOfTooDeep).find((offset) => offset !== undefined);
  if (tooDeep !== undefined) {
    report.error({ code: 'TOO_DEEP', message: `Values nest deeper than ${deepest} levels`, at: place(tooDeep) });
    return undefined;
  }
  const composer = new Composer({ schema: 'failsafe', uniqueKeys: false, merge: false, logLevel: 'silent' });
  const documents = [...composer.compose(tokens, true, text.length)];
  const [first, second] = documents;
  for (const error of documents.flatMap((document: Document.Parsed) => document.errors)) {
    report.error({
      code: error.code,
      message: sentence(error.message),
      at: place(error.pos[0]),
      text: lineAt(text, error.pos[0]),
    });
  }
  if (second !== undefined) {
    report.error({
      code: 'MULTIPLE_DOCUMENTS',
      message: 'A file holds one document only',
      at: place(second.range?.[0] ?? 0),
    });
  }
  if (report.problems.some((problem) => problem.severity === 'error')) return undefined;
  return { contents: (first?.contents ?? null) as ParsedNode | null, text, place };
}

/** Composing is recursive and would end the process on deep input, so the depth is counted first, with a list. */
function offsetOfTooDeep(token: CST.Token): number | undefined {
  let level: readonly CST.Token[] = [token];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return level[0]?.offset;
    level = level.flatMap(childrenOf);
  }
  return undefined;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child != null));
}

function lineAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1;
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? text.length : end).trim();
}

/** Only the first line: some messages of the parser quote whole lines. */
function sentence(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
