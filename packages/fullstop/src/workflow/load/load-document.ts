import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { checkMeaning } from '../analyze/check-meaning.js';
import { documentGraph } from '../graph/document-graph.js';
import type { WorkflowDocument } from '../schema/document.js';
import { readDocument } from '../schema/read-document.js';
import { createReport, type Report, type WorkflowProblem } from '../source/problem.js';
import { readTree, tryRead } from '../source/read-tree.js';
import { locate, locateInText, type MapNode, nameOfKind, type Place, type YamlNode } from '../source/yaml-node.js';
import { builtInStepTypes } from '../steps/built-in-step-types.js';
import { checkPart } from './check-part.js';
import type { LoadedDocument, LoadOptions, LoadResult, StepTypes } from './loaded-document.js';

export { formatProblem, type WorkflowProblem } from '../source/problem.js';
export type { LoadedDocument, LoadOptions, LoadResult } from './loaded-document.js';
export { WorkflowInvalid } from './workflow-invalid.js';

/** The things that the files of one load share. */
interface Loading {
  readonly readFile: (path: string) => string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly lenient: boolean;
  readonly steps: StepTypes;
  readonly files: Record<string, string>;
  readonly loaded: Map<string, LoadResult>;
}

/** Reads and checks a workflow file; all problems come at once, each with its place. */
export function loadDocument(options: LoadOptions): LoadResult {
  return loadDocumentWith(builtInStepTypes, options);
}

/** The same with other types of step; analysis, machine and performer take them from the loaded document. */
export function loadDocumentWith(steps: StepTypes, options: LoadOptions): LoadResult {
  const files: Record<string, string> = {};
  const read = options.readFile ?? readUtf8;
  const loading: Loading = {
    readFile: (path) => {
      files[path] ??= read(path);
      return files[path];
    },
    env: options.env ?? process.env,
    lenient: options.lenient ?? false,
    steps,
    files,
    loaded: new Map(),
  };
  const file = resolve(options.file);
  if (options.text !== undefined) files[file] = options.text;
  return loadFile(loading, { file, shown: options.file, parents: [] });
}

function readUtf8(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
}

interface Opening {
  /** Absolute path. */
  readonly file: string;
  /** The name of the file in problems. */
  readonly shown: string;
  /** The files that lead here through sub-workflow steps. */
  readonly parents: readonly string[];
}

function loadFile(loading: Loading, opening: Opening): LoadResult {
  const { file, shown } = opening;
  const report = createReport('yaml');
  const text = tryRead(loading.readFile, file);
  if (typeof text !== 'string') {
    report.error({ code: text.code, message: text.message, at: { file: shown, line: 1, column: 1 }, text: shown });
    return { ok: false, problems: report.problems };
  }
  const tree = readTree({ file, text, readFile: loading.readFile, env: loading.env, report });
  const root = tree === undefined ? undefined : rootMapping(tree, report.problems.length === 0 ? report : undefined);
  const rename = (problems: readonly WorkflowProblem[]): WorkflowProblem[] =>
    inOrder(problems, file).map((problem) => (problem.file === file ? { ...problem, file: shown } : problem));
  if (root === undefined) return { ok: false, problems: rename(report.problems) };
  const checks = createReport('schema', report.problems);
  const document = readDocument(root, { report: checks, steps: loading.steps });
  const readable = { ...opening, root, text, problems: report.problems, rename };
  return document === undefined ? refuse(loading, readable) : finish(loading, { ...readable, document });
}

interface Tree extends Opening {
  readonly root: MapNode;
  readonly text: string;
  readonly problems: WorkflowProblem[];
  readonly rename: (problems: readonly WorkflowProblem[]) => WorkflowProblem[];
}

interface Readable extends Tree {
  readonly document: WorkflowDocument;
}

/** Loads the sub-workflows of a file, each once. */
function childrenOf(loading: Loading, { file, parents }: Opening): LoadedDocument['child'] {
  return (workflow) => {
    const target = resolve(dirname(file), workflow);
    const known =
      loading.loaded.get(target) ?? loadFile(loading, { file: target, shown: target, parents: [...parents, file] });
    loading.loaded.set(target, known);
    return known;
  };
}

/** Keys or types are wrong: what is wrong with the meaning of the rest is reported too. */
function refuse(loading: Loading, tree: Tree): LoadResult {
  const { root, file, parents, problems, rename } = tree;
  const chain = [...parents, file];
  const child = childrenOf(loading, tree);
  const meant = checkPart(root, file, { root, chain, readFile: loading.readFile, child, steps: loading.steps });
  return { ok: false, problems: ranked(loading, rename([...problems, ...meant])) };
}

/** With `lenient` problems of meaning are no errors. */
function ranked({ lenient }: Loading, problems: readonly WorkflowProblem[]): readonly WorkflowProblem[] {
  if (!lenient) return problems;
  return problems.map((problem) => (problem.stage === 'semantic' ? { ...problem, severity: 'warning' } : problem));
}

function finish(loading: Loading, readable: Readable): LoadResult {
  const { document, root, file, shown, parents, text, rename } = readable;
  const child = childrenOf(loading, readable);
  const report = createReport('semantic', readable.problems);
  const chain = [...parents, file];
  const { steps, readFile } = loading;
  const graph = documentGraph(document, steps);
  checkMeaning({ document, root, report, steps, graph, chain, readFile, child });
  const problems = ranked(loading, rename(readable.problems));
  if (problems.some(({ severity }) => severity === 'error')) return { ok: false, problems };
  const named = (at: Place): Place => (at.file === file ? { ...at, file: shown } : at);
  const loaded: LoadedDocument = {
    document,
    source: text,
    file: shown,
    files: loading.files,
    warnings: problems,
    steps,
    graph,
    locate: (path) => named(locate(root, path)),
    locateInText: (path, spot) => named(locateInText(root, path, spot)),
    child,
  };
  return { ok: true, loaded };
}

/** By place, the file itself first and other files in the order in which they came up. */
function inOrder(problems: readonly WorkflowProblem[], file: string): WorkflowProblem[] {
  const files = new Set([file, ...problems.map((problem) => problem.file)]);
  const rank = new Map([...files].map((name, index) => [name, index]));
  return problems.toSorted(
    (left, right) =>
      (rank.get(left.file) ?? 0) - (rank.get(right.file) ?? 0) || left.line - right.line || left.column - right.column,
  );
}

/** The mapping that a workflow file must be. */
function rootMapping(tree: YamlNode, report: Report | undefined): MapNode | undefined {
  if (tree.kind === 'map') return tree;
  const isEmpty = tree.kind === 'null';
  const message = isEmpty
    ? 'Empty configuration file'
    : `Invalid configuration format: expected a mapping with workflow and agents, but this is ${nameOfKind(tree)}`;
  report?.error({ code: isEmpty ? 'EMPTY_FILE' : 'NOT_A_MAPPING', message, at: tree.at });
  return undefined;
}
