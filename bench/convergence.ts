import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConvergence, fact, type Proposal, suggestor } from 'fullstop/convergence';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { median } from './interleave.js';

const rounds = 400;
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
  console.log(`\nconvergence, memory engine (median and best of ${rounds}, us per run over the bare functions)`);
  for (const count of [0, 1, 5, 20]) await benchAgents(count);
  await benchPressure();
  await benchInputs();
  await benchGrowth();
  benchResident();
  await benchDurable();
}

function line(name: string, value: string): void {
  console.log(`  ${name.padEnd(40)} ${value}`);
}

async function timed(run: () => Promise<unknown>, times: number): Promise<{ middle: number; best: number }> {
  // Compiled code is what is measured, in the short runs too.
  for (let round = 0; round < times; round += 1) await run();
  const all: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const start = performance.now();
    await run();
    all.push((performance.now() - start) * 1000);
  }
  return { middle: median(all), best: Math.min(...all) };
}

async function benchAgents(count: number): Promise<void> {
  const convergence = defineConvergence({ suggestors: agentsOf(count) });
  const run = await timed(async () => {
    const { termination } = await convergence.run();
    if (termination.kind !== 'converged' || termination.facts !== count + 1)
      throw new Error(JSON.stringify(termination));
  }, rounds * 5);
  const bare = await timed(async () => {
    const made: object[] = [];
    for (let index = 0; index <= count; index += 1) await bareAgent(made, index);
  }, rounds * 5);
  const name = count === 0 ? 'single cycle' : `seed and ${count} agent${count === 1 ? '' : 's'}`;
  line(name, `${(run.middle - bare.middle).toFixed(0)} us  (best ${(run.best - bare.best).toFixed(0)} us)`);
}

async function bareAgent(made: object[], index: number): Promise<void> {
  made.push({ key: 'hypotheses', payload: { text: `derived by ${index}` }, id: `hyp-${index}` });
}

async function benchPressure(): Promise<void> {
  const counter = suggestor('counter', {
    execute: ({ cycle, propose }) => propose('count', { cycle }, { id: `c${cycle}` }),
  });
  const convergence = defineConvergence({ suggestors: [counter], budgets: { cycles: 99 } });
  const { middle, best } = await timed(async () => {
    const { termination } = await convergence.run();
    if (termination.kind !== 'cycle_budget' || termination.used !== 99) throw new Error(JSON.stringify(termination));
  }, rounds / 4);
  line('budget pressure, 99 cycles', `${middle.toFixed(0)} us  (best ${best.toFixed(0)} us)`);
}

async function benchInputs(): Promise<void> {
  const convergence = defineConvergence({ suggestors: [] });
  const facts = inputs(1000);
  const { middle, best } = await timed(async () => {
    const { root } = await convergence.run({ facts });
    if (root.length !== 64) throw new Error('no root');
  }, rounds / 4);
  const shown = `${(middle / 1000).toFixed(2)} us per fact  (best ${(best / 1000).toFixed(2)} us), hashes included`;
  line('1,000 staged inputs', shown);
}

async function benchGrowth(): Promise<void> {
  const convergence = defineConvergence({ suggestors: [] });
  const times: number[] = [];
  for (const count of [100_000, 1_000_000]) {
    const facts = inputs(count);
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3; round += 1) {
      const start = performance.now();
      const { facts: found } = await convergence.run({ facts });
      if (found.size !== count) throw new Error(`${found.size} facts`);
      best = Math.min(best, performance.now() - start);
    }
    times.push(best);
  }
  const [small = 1, large = 0] = times;
  const per = `${(large / 1000).toFixed(2)} us per fact`;
  line('time(1,000,000 facts) / time(100,000)', `${(large / small).toFixed(1)}  (${per} at a million)`);
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
  line('resident memory per fact, payload excluded', `${(bytes / facts).toFixed(0)} B`);
}

const residentProgram = `import { defineConvergence, fact } from 'fullstop/convergence';
const count = 1_000_000;
const facts = Array.from({ length: count }, (_, n) => fact('seeds', { text: 'input ' + n }, { id: 'input-' + n }));
gc();
const before = process.memoryUsage.rss();
const result = await defineConvergence({ suggestors: [] }).run({ facts });
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
    line('durable, seed and 20 agents', entries);
    let number = 0;
    const { middle } = await timed(() => convergence.run(undefined, { engine, runId: `r${number++}` }), 50);
    line('durable, seed and 20 agents', `${(middle / 1000).toFixed(2)} ms per run, synchronous=FULL`);
  } finally {
    await engine.close();
    rmSync(place, { recursive: true, force: true });
  }
}
