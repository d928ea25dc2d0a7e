import { dirname, resolve } from 'node:path';
import { buildTree } from './build-tree.js';
import { type Environment, interpolateEnvironment } from './interpolate-environment.js';
import { parseYaml } from './parse-yaml.js';
import { addProblems, createReport, type DocumentPath, type Report } from './problem.js';
import { FileRefused } from './read-regular-file.js';
import type { Place, TextNode, YamlNode } from './yaml-node.js';

export interface ReadTreeOptions {
  /** Absolute path. */
  readonly file: string;
  readonly text: string;
  readonly readFile: (path: string) => string;
  /** Without it every `${NAME}` stays as it is written. */
  readonly env?: Environment;
  readonly report: Report;
}

/** Reads a YAML file with what it includes and with its environment variables filled in. */
export function readTree(options: ReadTreeOptions): YamlNode | undefined {
  const { file, text, report, env } = options;
  const parsed = parseYaml(text, file, report);
  if (parsed === undefined) return undefined;
  const tree = buildTree(parsed, { report, include: includer(options, [file]) });
  return env === undefined ? tree : interpolateTree(tree, { env, report, done: new Map() }, []);
}

type Includer = (path: string, at: Place) => YamlNode | undefined;

/** Follows `!file` tags of the last file of the chain. */
function includer(options: ReadTreeOptions, chain: readonly string[]): Includer {
  const { report, readFile } = options;
  return (path, at) => {
    const target = resolve(dirname(chain.at(-1) ?? options.file), path);
    if (chain.includes(target)) {
      const message = `Circular file reference: ${[...chain, target].join(' → ')}`;
      report.error({ code: 'FILE_CYCLE', message, at, text: path });
      return undefined;
    }
    const content = tryRead(readFile, target);
    if (typeof content !== 'string') {
      report.error({ code: content.code, message: `${content.message}: '${path}' (${target})`, at, text: path });
      return undefined;
    }
    return includedValue(options, { chain: [...chain, target], content });
  };
}

/** A mapping or list is put in as such; anything else, also what is no YAML, is taken as text. */
function includedValue(
  options: ReadTreeOptions,
  included: { readonly chain: readonly string[]; readonly content: string },
): YamlNode {
  const { chain, content } = included;
  const target = chain.at(-1) ?? options.file;
  const raw: TextNode = {
    kind: 'string',
    text: content,
    at: { file: target, line: 1, column: 1 },
    from: target,
    style: 'file',
  };
  const syntax = createReport('yaml');
  const nested = createReport('yaml');
  const parsed = parseYaml(content, target, syntax);
  if (parsed === undefined) return raw;
  const tree = buildTree(parsed, { report: syntax, include: includer({ ...options, report: nested }, chain) });
  if (syntax.problems.length > 0) return raw;
  addProblems(options.report.problems, nested.problems);
  return tree.kind === 'map' || tree.kind === 'list' ? tree : raw;
}

export interface Unreadable {
  readonly code: 'FILE_NOT_FOUND' | 'FILE_REFUSED' | 'FILE_UNREADABLE';
  readonly message: string;
}

/** The text of a file, or why there is none. */
export function tryRead(readFile: (path: string) => string, path: string): string | Unreadable {
  try {
    return readFile(path);
  } catch (error) {
    const { code, message }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
    if (error instanceof FileRefused) return { code: error.code, message };
    if (code === 'ENOENT') return { code: 'FILE_NOT_FOUND', message: 'File not found' };
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      return { code: 'FILE_UNREADABLE', message: 'The file is not valid UTF-8 text' };
    }
    return { code: 'FILE_UNREADABLE', message: `The file cannot be read (${message})` };
  }
}

interface Interpolation {
  readonly env: Environment;
  readonly report: Report;
  /** A value that an alias repeats is read once. */
  readonly done: Map<YamlNode, YamlNode>;
}

function interpolateTree(node: YamlNode, context: Interpolation, path: DocumentPath): YamlNode {
  const known = context.done.get(node);
  if (known !== undefined) return known;
  const result = interpolateNode(node, context, path);
  context.done.set(node, result);
  return result;
}

function interpolateNode(node: YamlNode, context: Interpolation, path: DocumentPath): YamlNode {
  if (node.kind === 'list') {
    return { ...node, items: node.items.map((item, index) => interpolateTree(item, context, [...path, index])) };
  }
  if (node.kind === 'map') {
    const entries = node.entries.map((entry) => ({
      ...entry,
      value: interpolateTree(entry.value, context, [...path, entry.key]),
    }));
    return { ...node, entries };
  }
  return node.kind === 'string' ? interpolateText(node, context, path) : node;
}

const reasons = {
  missing: 'is not set and has no default',
  endless: 'leads to itself again and again',
  too_long: 'makes the text longer than 10,000,000 characters',
} as const;

function interpolateText(node: TextNode, context: Interpolation, path: DocumentPath): TextNode {
  const text = interpolateEnvironment(node.text, context.env);
  if (typeof text === 'string') return text === node.text ? node : { ...node, text };
  context.report.error({
    code: 'ENVIRONMENT_VARIABLE',
    message: `The environment variable ${text.name} ${reasons[text.reason]}`,
    at: node.at,
    path,
    hint:
      text.reason === 'missing'
        ? `Set it, or write \${${text.name}:-default}`
        : 'Look for variables that name each other',
  });
  return node;
}
