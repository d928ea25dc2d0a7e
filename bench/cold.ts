import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countingModel } from './counting-model.js';
import { median } from './interleave.js';

const rounds = 9;
const calls = 10;
const root = join(import.meta.dirname, '..');
const aiSeven = join(import.meta.dirname, 'contenders/ai-7');

/** The report of a fresh process, in milliseconds. */
interface Report {
  readonly imported: number;
  readonly first: number;
  readonly second: number;
}

interface Contender {
  readonly name: string;
  /** Packages are resolved from here. */
  readonly folder: string;
  readonly node: string;
  readonly program: string;
}

/** The model and the tool that every contender gets: the tool is asked for ten times, then the model answers. */
const scene = `
${countingModel}
let executed = 0;
const execute = async ({ n }) => { executed += 1; return { next: n + 1 }; };
const model = (specificationVersion) => countingModel(specificationVersion, ${calls});
const time = async (work) => {
  const start = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - start };
};
const run = async (work) => {
  executed = 0;
  const { result, milliseconds } = await time(work);
  if (executed !== ${calls} || result !== 'done') throw new Error('The tool ran ' + executed + ' times and the run ended as ' + result + '.');
  return milliseconds;
};
`;

/** Every ending is read from the run itself, so that a row that did less would fail. */
const fullstopProgram = `${scene}
const { result: lib, milliseconds: imported } = await time(() => import('fullstop'));
const once = async () => {
  const agent = lib.defineAgent({
    model: model('v3'),
    tools: { step: { description: 'Counts', inputSchema, execute } },
    stopWhen: [lib.maxIterations(${calls + 2})],
  });
  const { termination, text, toolCalls } = await agent.run('go');
  return termination.kind === 'natural_end' && toolCalls.length === ${calls} ? text : termination.kind;
};
process.stdout.write(JSON.stringify({ imported, first: await run(once), second: await run(once) }));
`;

function aiProgram(version: string, stop: string): string {
  return `${scene}
const { result: lib, milliseconds: imported } = await time(() => import('ai'));
const once = async () => {
  const step = lib.tool({ description: 'Counts', inputSchema, execute });
  const { steps, text, finishReason } = await lib.generateText({
    model: model('${version}'), tools: { step }, prompt: 'go', stopWhen: lib.${stop}(${calls + 2}),
  });
  return finishReason === 'stop' && steps.length === ${calls + 1} ? text : finishReason;
};
process.stdout.write(JSON.stringify({ imported, first: await run(once), second: await run(once) }));
`;
}

/** Fresh processes in turns: the import, the first run of ten tool calls, whose code nothing has compiled yet, and the second. */
export function benchCold(): void {
  console.log(
    `\ncold: a fresh process, zod loaded before the clock starts (${rounds} rounds in turns, median / best in ms)`,
  );
  const contenders = contendersFor(process.execPath, newerNode());
  const files = contenders.map(writeProgram);
  const reports = contenders.map((): Report[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { node }] of contenders.entries()) {
      reports[index]?.push(JSON.parse(execFileSync(node, [files[index] ?? ''], { encoding: 'utf8' })) as Report);
    }
  }
  for (const [index, { name }] of contenders.entries()) {
    const of = reports[index] ?? [];
    const columns = (['imported', 'first', 'second'] as const).map(
      (part) => `${part === 'imported' ? 'import' : `${part} run`} ${summary(of.map((each) => each[part]))}`,
    );
    console.log(`  ${name.padEnd(26)} ${columns.join('   ')}`);
  }
  if (newerNode() === undefined)
    console.log('  ai 7: not installed (npm install --prefix bench/contenders/ai-7, which brings the Node it needs)');
}

function contendersFor(node: string, newer: string | undefined): readonly Contender[] {
  const old = `Node ${process.versions.node.split('.')[0]}`;
  // Another checkout that is built, to compare two states of this one in the same round.
  const other = process.env['COLD_CHECKOUT'];
  const all: Contender[] = [
    { name: `fullstop, ${old}`, folder: root, node, program: fullstopProgram },
    { name: `ai ${versionOf(root)}, ${old}`, folder: root, node, program: aiProgram('v3', 'stepCountIs') },
  ];
  if (other !== undefined) all.push({ name: 'other checkout', folder: other, node, program: fullstopProgram });
  if (newer !== undefined) {
    all.push({ name: 'fullstop, Node 22', folder: root, node: newer, program: fullstopProgram });
    const program = aiProgram('v4', 'isStepCount');
    all.push({ name: `ai ${versionOf(aiSeven)}, Node 22`, folder: aiSeven, node: newer, program });
  }
  return all;
}

/** The Node that came with AI SDK 7, which the current one may be too old for. */
function newerNode(): string | undefined {
  const file = join(aiSeven, 'node_modules/node/bin/node');
  return existsSync(file) && existsSync(join(aiSeven, 'node_modules/ai')) ? file : undefined;
}

function versionOf(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/ai/package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}

function writeProgram({ folder, name, program }: Contender): string {
  const cache = join(folder, '.cache/cold');
  mkdirSync(cache, { recursive: true });
  const file = join(cache, `${name.replace(/\W+/g, '-')}.mjs`);
  writeFileSync(file, program);
  return file;
}

function summary(values: readonly number[]): string {
  return `${median(values).toFixed(1).padStart(6)} / ${Math.min(...values)
    .toFixed(1)
    .padStart(5)}`;
}
