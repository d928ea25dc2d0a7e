import { DBOS } from '@dbos-inc/dbos-sdk';
import { defineRun, terminations } from 'fullstop';
import { type PostgresEngine, postgresEngine } from 'fullstop/engines/postgres';
import pg from 'pg';
import { median } from '../interleave.js';
import { line, mustBe, result } from './line.js';

const stepsOfOne = 200;
const rounds = 7;
const runsAtOnce = 50;
const stepsOfEach = 20;

/** One way to do a number of steps, one after the other, in a run of its own. */
interface Way {
  readonly name: string;
  run(runId: string, steps: number): Promise<void>;
  /** How many steps the store has of a run. */
  stored(runId: string): Promise<number>;
}

const work = defineRun({
  name: 'work',
  run: async (context, { steps }: { readonly steps: number }) => {
    for (let step = 0; step < steps; step += 1) await context.step('work', () => result);
    return terminations.naturalEnd();
  },
});

function ours(engine: PostgresEngine): Way {
  return {
    name: 'fullstop',
    run: async (runId, steps) => {
      await work.run({ steps }, { engine, runId });
    },
    stored: async (runId) => (await engine.journal(runId, { types: ['step_ended'] })).length,
  };
}

const text = JSON.stringify({ ok: true, value: result, attempts: 1 });
const hash = '0'.repeat(64);
const insert = {
  name: 'bare',
  text: `WITH held AS (SELECT id FROM bare.runs WHERE id = $1 AND epoch = $2 FOR SHARE)
    INSERT INTO bare.journal (run, seq, segment, scope, ordinal, at, type, key, data, hash) SELECT held.id, $3, 1, '', $3, $4, 'step_ended', 'work', $5, $6 FROM held`,
};

/** The same row with the same fence, and nothing else. */
async function bareInsert(pool: pg.Pool): Promise<Way> {
  await pool.query(`CREATE SCHEMA bare; CREATE TABLE bare.runs (id TEXT PRIMARY KEY, epoch BIGINT NOT NULL);
    CREATE TABLE bare.journal (run TEXT NOT NULL, seq BIGINT NOT NULL, segment BIGINT NOT NULL, scope TEXT NOT NULL, ordinal BIGINT NOT NULL, at BIGINT NOT NULL,
      type TEXT NOT NULL, key TEXT, data TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run, seq))`);
  return {
    name: 'one fenced insert',
    run: async (runId, steps) => {
      await pool.query('INSERT INTO bare.runs VALUES ($1, 1)', [runId]);
      for (let step = 1; step <= steps; step += 1)
        await pool.query({ ...insert, values: [runId, 1, step, Date.now(), text, hash] });
    },
    stored: async (runId) => {
      const { rows } = await pool.query('SELECT count(*)::int AS count FROM bare.journal WHERE run = $1', [runId]);
      return (rows[0] as { readonly count: number }).count;
    },
  };
}

async function dbos(url: string): Promise<Way> {
  const workflow = DBOS.registerWorkflow(
    async (steps: number): Promise<number> => {
      for (let step = 0; step < steps; step += 1) await DBOS.runStep(async () => result, { name: 'work' });
      return steps;
    },
    { name: 'bench' },
  );
  DBOS.setConfig({
    name: 'bench',
    systemDatabaseUrl: url,
    logLevel: 'error',
    applicationVersion: '1',
    executorID: 'bench',
  });
  await DBOS.launch();
  return {
    name: 'DBOS.runStep',
    run: async (runId, steps) => {
      const handle = await DBOS.startWorkflow(workflow, { workflowID: runId })(steps);
      mustBe(await handle.getResult(), steps, 'the steps of a workflow');
    },
    stored: async (runId) => (await DBOS.listWorkflowSteps(runId))?.length ?? 0,
  };
}

/** How long a round takes, in milliseconds per step. */
async function timeOne(way: Way, runId: string): Promise<number> {
  const start = performance.now();
  await way.run(runId, stepsOfOne);
  const passed = performance.now() - start;
  mustBe(await way.stored(runId), stepsOfOne, `the steps that ${way.name} has stored`);
  return passed / stepsOfOne;
}

async function timeMany(way: Way, prefix: string): Promise<number> {
  const ids = Array.from({ length: runsAtOnce }, (_, index) => `${prefix}-${index}`);
  const start = performance.now();
  await Promise.all(ids.map((runId) => way.run(runId, stepsOfEach)));
  const passed = performance.now() - start;
  for (const runId of ids) mustBe(await way.stored(runId), stepsOfEach, `the steps that ${way.name} has stored`);
  return (runsAtOnce * stepsOfEach * 1000) / passed;
}

async function compare(
  ways: readonly Way[],
  measure: (way: Way, id: string) => Promise<number>,
): Promise<readonly (readonly number[])[]> {
  const figures = ways.map((): number[] => []);
  // The first round warms everything up.
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, way] of ways.entries()) {
      const figure = await measure(way, `${measure.name}-${way.name}-${round}`);
      if (round > 0) figures[index]?.push(figure);
    }
  return figures;
}

const ratio = (left: readonly number[], right: readonly number[]): number =>
  median(left.map((value, index) => value / (right[index] ?? Number.NaN)));

const shown = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** Ratios are medians of the ratios of rounds: a slow moment of the machine hits all ways alike. */
export async function benchSteps(url: string): Promise<void> {
  const engine = postgresEngine({ url });
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const ways = [ours(engine), await bareInsert(pool), await dbos(url)] as const;
  try {
    const [own = [], bare = [], other = []] = await compare(ways, timeOne);
    for (const [index, times] of [own, bare, other].entries())
      line(`${ways[index]?.name}, ${stepsOfOne} steps in sequence`, `${shown(times, 2)} ms per step`);
    line('a step of ours to one fenced insert', `${ratio(own, bare).toFixed(2)}x (at most 1.3)`);
    line('a step of ours to DBOS.runStep', `${ratio(own, other).toFixed(2)}x (at most 0.6)`);
    const [ownRate = [], bareRate = [], otherRate = []] = await compare(ways, timeMany);
    for (const [index, rates] of [ownRate, bareRate, otherRate].entries())
      line(`${ways[index]?.name}, ${runsAtOnce} runs at once`, `${shown(rates, 0)} steps a second`);
    line('throughput of ours to DBOS steps', `${ratio(ownRate, otherRate).toFixed(2)}x (at least 2)`);
  } finally {
    await DBOS.shutdown();
    await engine.close();
    await pool.end();
  }
}
