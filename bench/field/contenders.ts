import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const root: string = join(import.meta.dirname, '../..');
export const adapterSets: string = join(root, '.cache/adapters');
const newer = join(root, 'bench/contenders/ai-7');

/** A loop with a model and a tool, in a program of its own in `bench/contenders/programs`. */
export interface FieldContender {
  readonly id: string;
  readonly name: string;
  readonly program: string;
  readonly variant?: string;
  /** Packages are resolved from here. */
  readonly folder: string;
  /** The package whose version is shown. */
  readonly version?: string;
  readonly node: string;
  /** True where time per step does not grow with the run, so that very long ones can be measured. */
  readonly isFlat?: boolean;
  /** The work that it does per step and the others do not, or the other way round. */
  readonly note?: string;
}

export const here: Pick<FieldContender, 'folder' | 'node'> = { folder: root, node: process.execPath };
/** The Node that came with AI SDK 7. */
export const newerNode: string = join(newer, 'node_modules/node/bin/node');

/** The contenders without streams. */
export const contenders: readonly FieldContender[] = [
  {
    id: 'bare',
    name: 'bare loop',
    program: 'bare',
    ...here,
    isFlat: true,
    note: 'no limit, no ending, no record of what happened',
  },
  { id: 'fullstop', name: 'fullstop', program: 'fullstop', ...here, isFlat: true },
  {
    id: 'fullstop-22',
    name: 'fullstop, Node 22',
    program: 'fullstop',
    folder: root,
    node: newerNode,
    isFlat: true,
    note: 'like for like with ai 7 and Mastra, which need Node 22',
  },
  {
    id: 'fullstop-detectors',
    name: 'fullstop, all detectors',
    program: 'fullstop',
    variant: 'detectors',
    ...here,
    isFlat: true,
    note: 'eight conditions are weighed three times in each iteration',
  },
  {
    id: 'fullstop-sqlite',
    name: 'fullstop on SQLite',
    program: 'fullstop',
    variant: 'sqlite',
    ...here,
    note: 'every step is on the disk before the next one begins; no other row does that',
  },
  { id: 'ai-6', name: 'ai 6 generateText', program: 'ai', ...here, version: 'ai' },
  {
    id: 'ai-7',
    name: 'ai 7 generateText',
    program: 'ai',
    folder: newer,
    node: newerNode,
    version: 'ai',
    note: 'on Node 22, which it needs; so is its streamText',
  },
  {
    id: 'openai-agents',
    name: 'OpenAI Agents run',
    program: 'openai-agents',
    folder: join(adapterSets, 'openai-agents'),
    node: process.execPath,
    version: '@openai/agents',
    note: 'tracing is off',
  },
  {
    id: 'langgraph',
    name: 'LangGraph createReactAgent',
    program: 'langgraph',
    folder: join(adapterSets, 'langgraph'),
    node: process.execPath,
    version: '@langchain/langgraph',
    note: 'no checkpointer',
  },
  {
    id: 'mastra',
    name: 'Mastra agent.generate',
    program: 'mastra',
    folder: join(adapterSets, 'mastra'),
    node: newerNode,
    version: '@mastra/core',
    note: 'on Node 22, which it needs; no storage; its agents always stream inside',
  },
];

/** The contenders that hand over text as it comes. */
export const streamContenders: readonly FieldContender[] = [
  {
    id: 'bare-stream',
    name: 'bare loop over streams',
    program: 'bare',
    variant: 'stream',
    ...here,
    isFlat: true,
    note: 'most of its time is the ReadableStream that the model makes, which every row has',
  },
  {
    id: 'fullstop-stream',
    name: 'fullstop agent.stream',
    program: 'fullstop',
    variant: 'stream',
    ...here,
    isFlat: true,
  },
  {
    id: 'fullstop-stream-22',
    name: 'fullstop agent.stream, Node 22',
    program: 'fullstop',
    variant: 'stream',
    folder: root,
    node: newerNode,
    note: 'like for like with ai 7: streams of Node 22 cost less than those of Node 20, whoever reads them',
  },
  { id: 'ai-6-stream', name: 'ai 6 streamText', program: 'ai', variant: 'stream', ...here, version: 'ai' },
  {
    id: 'ai-7-stream',
    name: 'ai 7 streamText',
    program: 'ai',
    variant: 'stream',
    folder: newer,
    node: newerNode,
    version: 'ai',
  },
];

/** Why a contender cannot run here; undefined when it can. */
export function missingOf({ folder, node, version }: FieldContender): string | undefined {
  const isThere =
    existsSync(node) && (version === undefined || existsSync(join(folder, 'node_modules', version, 'package.json')));
  return isThere ? undefined : 'not installed (npm run bench:install)';
}

/** The installed version; for our own rows the version of the package is no news. */
export function versionOf({ folder, version }: FieldContender): string | undefined {
  if (version === undefined) return undefined;
  const file = join(folder, 'node_modules', version, 'package.json');
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
    : undefined;
}

/** Writes the module that resolves packages from the folder of a contender, and returns its path. */
export function writeLoader({ folder }: FieldContender): string {
  const inside = join(folder, 'node_modules/.bench');
  mkdirSync(inside, { recursive: true });
  const file = join(inside, 'load.mjs');
  writeFileSync(file, 'export const load = (name) => import(name);\n');
  return file;
}
