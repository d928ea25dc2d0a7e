import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defineConvergence, fact, type Proposal, suggestor } from 'fullstop/convergence';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { median } from './interleave.js';

const rounds = 400;
const warmUp = 5000;
const folder = join(import.meta.dirname, '../.cache/convergence');

/** Proposes one fact as long as it is not there. */
const seed = suggestor('seed', {
  accepts: ({ facts }) => !facts.has('seeds'),
  execute: ({ propose }) => propose('seeds', { text: 'initial seed' }, { id: 'seed-1' }),
});

function reacting(index: number) {
  const id = `hyp-${index}`;
  return suggestor(`agent ${index}`, {
    dependsOn: ['seeds'],
    accepts: ({ facts }) => !facts.has('hypotheses', id),
    execute: ({ propose }) => propose('hypotheses', { text: `derived by ${index}` }, { id }),
  });
}

const agentsOf = (count: number) => [seed, ...Array.from({ length: count }, (_, index) => reacting(index))];

function inputs(count: number): readonly Proposal[] {
  return Array.from({ length: count }, (_, index) =>
    fact('seeds', { text: `input ${index}` }, { id: `input-${index}` }),
  );
}

/** The scenarios that Converge publishes, how time grows with facts, memory per fact, and what a durable run writes. */
export async function benchConvergence(): Promise<void> {
  console.log('\nconvergence, memory engine (median and best; agents: us per run over the bare functions)');
  for (const count of [0, 1, 5, 20]) await benchAgents(count);
  await benchPressure();
  await benchInputs();
  await benchGrowth();
  benchResident();
  await benchDurable();
}

interface Shown {
  readonly name: string;
  readonly value: string;
  /** The target, where there is one. */
  readonly wanted?: string;
}

function line({ name, value, wanted }: Shown): void {
  const target = wanted === undefined ? '' : `  [wanted: ${wanted}]`;
  console.log(`  ${name.padEnd(42)} ${value}${target}`);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Runs are started by events: garbage of the last one has a turn of the event loop to be collected. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function once(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return (performance.now() - start) * 1000;
}

interface Measured {
  readonly middle: number;
  readonly best: number;
}

/** Times things in turns, so that a slow phase of the machine hits all of them alike. Compiled code is what is measured. */
async function timed(
  things: readonly (() => Promise<unknown>)[],
  { times, before }: { readonly times: number; readonly before: number },
): Promise<readonly Measured[]> {
  // Before the warm-up: where no run is under way, a forced collection throws compiled code away with the shapes it was made for.
  collectGarbage();
  for (let round = 0; round < before; round += 1) {
    for (const run of things) await run();
    await turn();
  }
  const all = things.map((): number[] => []);
  for (let round = 0; round < times; round += 1) {
    for (const [index, run] of things.entries()) {
      await turn();
      all[index]?.push(await once(run));
    }
  }
  return all.map((measured) => ({ middle: median(measured), best: Math.min(...measured) }));
}

async function benchAgents(count: number): Promise<void> {
  const convergence = defineConvergence({ suggestors: agentsOf(count) });
  const whole = async (): Promise<void> => {
    const { termination } = await convergence.run();
    if (termination.kind !== 'converged' || termination.facts !== count + 1)
      throw new Error(JSON.stringify(termination));
  };
  const functions = async (): Promise<void> => {
    const made: object[] = [];
    for (let index = 0; index <= count; index += 1) await bareAgent(made, index);
  };
  const [run = none, bare = none] = await timed([whole, functions], { times: rounds * 5, before: warmUp });
  line({
    name: count === 0 ? 'single cycle' : `seed and ${count} agent${count === 1 ? '' : 's'}`,
    value: `${(run.middle - bare.middle).toFixed(0)} us  (best ${(run.best - bare.best).toFixed(0)} us)`,
    ...(count === 20 && { wanted: 'at most 100 us' }),
  });
}

const none: Measured = { middle: Number.NaN, best: Number.NaN };

async function bareAgent(made: object[], index: number): Promise<void> {
  made.push({ key: 'hypotheses', payload: { text: `derived by ${index}` }, id: `hyp-${index}` });
}

async function benchPressure(): Promise<void> {
  const counter = suggestor('counter', {
    execute: ({ cycle, propose }) => propose('count', { cycle }, { id: `c${cycle}` }),
  });
  const convergence = defineConvergence({ suggestors: [counter], budgets: { cycles: 99 } });
  const run = async (): Promise<void> => {
    const { termination } = await convergence.run();
    if (termination.kind !== 'cycle_budget' || termination.used !== 99) throw new Error(JSON.stringify(termination));
  };
  const [{ middle, best } = none] = await timed([run], { times: rounds, before: rounds });
  line({ name: 'budget pressure, 99 cycles', value: `${middle.toFixed(0)} us  (best ${best.toFixed(0)} us)` });
}

async function benchInputs(): Promise<void> {
  const convergence = defineConvergence({ suggestors: [] });
  const facts = inputs(1000);
  const run = async (): Promise<void> => {
    const { root } = await convergence.run({ facts });
    if (root.length !== 64) throw new Error('no root');
  };
  const [{ middle, best } = none] = await timed([run], { times: rounds, before: rounds });
  const value = `${(middle / 1000).toFixed(2)} us per fact  (best ${(best / 1000).toFixed(2)} us), hashes included`;
  line({ name: '1,000 staged inputs', value, wanted: 'at most 5 us' });
}

async function benchGrowth(): Promise<void> {
  const convergence = defineConvergence({ suggestors: [] });
  const sizes = [100_000, 1_000_000].map((count) => ({ count, facts: inputs(count), best: Number.POSITIVE_INFINITY }));
  for (let round = 0; round < 4; round += 1) {
    for (const size of sizes) {
      collectGarbage();
      const start = performance.now();
      const { facts: found } = await convergence.run({ facts: size.facts });
      if (found.size !== size.count) throw new Error(`${found.size} facts`);
      size.best = Math.min(size.best, performance.now() - start);
      await turn();
    }
  }
  const [small = Number.NaN, large = Number.NaN] = sizes.map(({ best }) => best);
  const per = `${(large / 1000).toFixed(2)} us per fact at a million`;
  line({
    name: 'time(1,000,000 facts) / time(100,000)',
    value: `${(large / small).toFixed(1)}  (${per})`,
    wanted: 'at most 12',
  });
}

/** In a process of its own: what a run of a million facts adds to one that holds the million proposals already. */
function benchResident(): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'resident.mjs');
  writeFileSync(file, residentProgram);
  const output = execFileSync(process.execPath, ['--expose-gc', '--max-old-space-size=4096', file], {
    encoding: 'utf8',
  });
  const { facts, bytes } = JSON.parse(output) as { facts: number; bytes: number };
  line({
    name: 'resident memory per fact, payload excluded',
    value: `${(bytes / facts).toFixed(0)} B`,
    wanted: 'at most 600 B',
  });
}

const residentProgram = `import { defineConvergence, fact } from 'fullstop/convergence';
const count = 1_000_000;
const facts = Array.from({ length: count }, (_, n) => fact('seeds', { text: 'input ' + n }, { id: 'input-' + n }));
gc();
const before = process.memoryUsage.rss();
const result = await defineConvergence({ suggestors: [] }).run({ facts });
gc();
// Pages of what was collected are given back to the system in the background, and by the next collection.
await new Promise((resolve) => setTimeout(resolve, 500));
gc();
const bytes = process.memoryUsage.rss() - before;
process.stdout.write(JSON.stringify({ facts: result.facts.size, bytes }));
`;

async function benchDurable(): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
  const engine = sqliteEngine(join(place, 'runs.db'));
  try {
    const convergence = defineConvergence({ suggestors: agentsOf(20) });
    const result = await convergence.run(undefined, { engine, runId: 'r' });
    const journal = await result.journal();
    const count = (type: string): number => journal.filter((entry) => entry.type === type).length;
    const others = journal.length - count('step_ended') - count('recorded');
    const entries = `${count('step_ended')} steps, ${count('recorded')} cycle entries for ${result.cycles.length} merges, ${others} others`;
    line({ name: 'durable, seed and 20 agents', value: entries, wanted: 'one cycle entry for each merge' });
    let number = 0;
    const run = (): Promise<unknown> => convergence.run(undefined, { engine, runId: `r${number++}` });
    const [{ middle } = none] = await timed([run], { times: 50, before: 50 });
    line({ name: 'durable, seed and 20 agents', value: `${(middle / 1000).toFixed(2)} ms per run, synchronous=FULL` });
  } finally {
    await engine.close();
    rmSync(place, { recursive: true, force: true });
  }
}
