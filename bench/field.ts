import { adapterColumns } from '../tests/adapters/columns.js';
import { startCluster } from '../tests/postgres/cluster.js';
import { contenders, type FieldContender, streamContenders } from './field/contenders.js';
import { scoreEndings } from './field/endings.js';
import { beginSuite } from './field/machine.js';
import { type CrowdResults, measureCrowd } from './field/measure-crowd.js';
import { type Circumstances, type FieldRow, measureField } from './field/measure-field.js';
import { type Comparison, type FieldResults, findWorse, type StepResults } from './field/results.js';
import { scale } from './field/scale.js';
import { stepContenders } from './field/step-contenders.js';
import { readResults, writeResults } from './field/stored-results.js';
import { writePage } from './field/write-page.js';

/** A ratio may be this many times worse than the committed one before `bench:check` says so: two runs on a busy machine differ by as much. */
const tolerance = 1.5;

/** The field: every contender warm and cold, by the length of the run, and streaming; written to `bench/results` and `docs/benchmarks.md`. */
export async function benchField(): Promise<void> {
  writeResults('field', await measureAgents());
  writePage();
}

/** Steps one after the other, of bodies, documents and graphs, durable and not. */
export async function benchSteps(): Promise<void> {
  writeResults('steps', await measureSteps());
  writePage();
}

/** Many runs at once and one after the other. */
export async function benchCrowd(): Promise<void> {
  console.log('\ncrowd');
  const finish = beginSuite('crowd');
  const rows = await measureCrowd(contenders);
  const { crowd, calls } = scale.crowd;
  const results: CrowdResults = { ...finish(), crowd, calls, rows };
  writeResults('crowd', results);
  writePage();
}

/** Measures the field, the steps or both again and compares the ratios with the committed ones; exits with 1 if one got worse, or if there is nothing to compare. */
export async function checkField(isWanted: (suite: string) => boolean): Promise<void> {
  const field = isWanted('field') ? readResults<FieldResults>('field') : undefined;
  const steps = isWanted('steps') ? readResults<StepResults>('steps') : undefined;
  const parts: Comparison[] = [];
  if (field !== undefined) {
    const now = await measureAgents();
    for (const part of ['warmth', 'growth', 'streams'] as const)
      parts.push(findWorse(field[part], now[part], tolerance));
  }
  if (steps !== undefined) parts.push(findWorse(steps.rows, (await measureSteps()).rows, tolerance));
  const worse = parts.flatMap((part) => part.worse);
  const compared = parts.reduce((sum, part) => sum + part.compared, 0);
  for (const { row, committed, now } of worse)
    console.log(`  ${row}: ${now.toFixed(1)}x the time of fullstop, ${committed.toFixed(1)}x in the committed results`);
  console.log(`  ${worse.length} of ${compared} ratios are more than ${tolerance} times worse than the committed ones`);
  const commands = [field, steps].flatMap((results) => results?.command ?? []);
  if (compared === 0)
    console.log(`  Nothing could be compared; committed are the results of: ${commands.join(', ') || 'nothing'}`);
  if (worse.length > 0 || compared === 0) process.exitCode = 1;
}

async function measureAgents(): Promise<FieldResults> {
  const finish = beginSuite('field');
  const { lukewarm, rounds } = scale;
  const warmth = await measureEach(
    contenders,
    scale.warmUps.map((warmUp) => ({ size: 200, warmUp })),
  );
  const bySize = scale.sizes.map((size) => ({ size, warmUp: lukewarm }));
  const longer = scale.longSizes.map((size) => ({ size, warmUp: lukewarm }));
  const flat = contenders.filter(({ isFlat }) => isFlat === true);
  const growth = [...(await measureEach(contenders, bySize)), ...(await measureEach(flat, longer))];
  const streams = await measureEach(streamContenders, bySize);
  return { ...finish(), lukewarm, rounds, warmth, growth, streams, endings: adapterColumns.map(scoreEndings) };
}

/** With a server for the contenders that need one; where none can be started, these are shown as failed. */
async function measureSteps(): Promise<StepResults> {
  const finish = beginSuite('steps');
  const cluster = await startCluster({ durable: true }).catch((error: unknown) => {
    console.log(`  no Postgres: ${String(error)}`);
  });
  if (cluster !== undefined) process.env['BENCH_POSTGRES'] = cluster.url;
  try {
    const circumstances = scale.stepSizes.map((size) => ({ size, warmUp: Math.min(1_000, size) }));
    const rows = await measureEach(stepContenders, circumstances);
    return { ...finish(), rounds: scale.rounds, rows };
  } finally {
    await cluster?.stop();
  }
}

async function measureEach(
  field: readonly FieldContender[],
  circumstances: readonly Circumstances[],
): Promise<readonly FieldRow[]> {
  const rows: FieldRow[] = [];
  for (const each of circumstances) {
    console.log(`  ${each.size} steps after ${each.warmUp}`);
    rows.push(...(await measureField(field, each)));
  }
  return rows;
}
