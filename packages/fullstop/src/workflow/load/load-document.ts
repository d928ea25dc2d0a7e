import { dirname, resolve } from 'node:path';
import { isSecretVariable, secretVariables, withVariables } from '../../run/secrets/environment-secrets.js';
import { joinSecrets } from '../../run/secrets/join-secrets.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import { checkMeaning } from '../analyze/check-meaning.js';
import { fileSecrets } from '../file-secrets.js';
import { documentGraph } from '../graph/document-graph.js';
import type { WorkflowDocument } from '../schema/document.js';
import { readDocument } from '../schema/read-document.js';
import { createReport, type Report, type WorkflowProblem } from '../source/problem.js';
import { FileRefused, isBelow, readRegularFile } from '../source/read-regular-file.js';
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
  /** Hides the values of secrets in problems. */
  readonly mask: <T>(value: T) => T;
}

/** The most that all files of one load may hold together. */
const largestLoad = 50_000_000;

/** Reads and checks a workflow file; all problems come at once, each with its place. */
export function loadDocument(options: LoadOptions): LoadResult {
  return loadDocumentWith(builtInStepTypes, options);
}

/** The same with other types of step; analysis, machine and performer take them from the loaded document. */
export function loadDocumentWith(steps: StepTypes, options: LoadOptions): LoadResult {
  const files: Record<string, string> = {};
  const file = resolve(options.file);
  const env = options.env ?? process.env;
  const loading: Loading = {
    readFile: reader(files, options),
    env: options.masked === true ? maskedVariables(env, options) : env,
    lenient: options.lenient ?? false,
    steps,
    files,
    loaded: new Map(),
    mask: masker(files, env, options),
  };
  if (options.text !== undefined) files[file] = options.text;
  return loadFile(loading, { file, shown: options.file, parents: [] });
}

/** Reads each file once, and not without end. */
function reader(files: Record<string, string>, options: LoadOptions): (path: string) => string {
  const folder = options.confine === true ? dirname(resolve(options.file)) : undefined;
  const read = options.readFile ?? ((path) => readRegularFile(path, folder));
  let size = 0;
  return (path) => {
    const known = files[path];
    if (known !== undefined) return known;
    if (folder !== undefined && !isBelow(path, folder))
      throw new FileRefused(`it is outside of ${folder}, and the load is confined to it`);
    const text = read(path);
    size += text.length;
    if (size > largestLoad) throw new FileRefused(`with it there are more than ${largestLoad} characters in one load`);
    files[path] = text;
    return text;
  };
}

/** Knows the secrets of all files that were read so far. */
function masker(
  files: Readonly<Record<string, string>>,
  env: Loading['env'],
  { secrets }: LoadOptions,
): Loading['mask'] {
  let known: { readonly count: number; readonly all: Secrets | undefined } | undefined;
  return (value) => {
    const texts = Object.values(files);
    if (known?.count !== texts.length) {
      const all = withVariables(joinSecrets(secrets, fileSecrets(files, env)), secretVariables(env, texts));
      known = { count: texts.length, all };
    }
    return known.all?.mask(value) ?? value;
  };
}

/** The environment with names in the place of secrets: for what is shown and never run. */
function maskedVariables(env: Loading['env'], { secrets }: LoadOptions): Loading['env'] {
  const known = withVariables(secrets, secretVariables(env));
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value !== undefined && isSecretVariable(name, value) ? `‹${name}›` : (known?.mask(value) ?? value),
    ]),
  );
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
  const report = createReport('yaml', { mask: loading.mask });
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
  const checks = createReport('schema', { problems: report.problems, mask: loading.mask });
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
  const { readFile, steps, mask } = loading;
  const meant = checkPart(root, file, { root, chain, readFile, child, steps, mask });
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
  const report = createReport('semantic', { problems: readable.problems, mask: loading.mask });
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
