import { DBOS } from '@dbos-inc/dbos-sdk';
import { defineRun, terminations } from 'fullstop';
import type { PostgresEngine } from 'fullstop/engines/postgres';
import type pg from 'pg';
import { median } from '../interleave.js';
import { mustBe, result } from './line.js';

export const stepsOfOne = 1000;
/** How many steps of a process count as its first: its code is still being compiled, on a core that the server needs. */
export const firstSteps = 200;
const warmUps = 2;
const rounds = 7;
export const runsAtOnce = 50;
const stepsOfEach = 20;

/** When the steps of the run that is timed began, and when the last one was over. */
let marks: number[] = [];

const timesHere = (): readonly number[] => marks.slice(1).map((mark, index) => mark - (marks[index] ?? Number.NaN));

/** One way to do a number of steps, one after the other, in a run of its own. */
export interface Way {
  readonly name: string;
  run(runId: string, steps: number): Promise<void>;
  /** How long the steps of its last run took each, in milliseconds. */
  times(): readonly number[];
  /** How many steps the store has of a run. */
  stored(runId: string): Promise<number>;
}

const work = defineRun({
  name: 'work',
  run: async (context, { steps }: { readonly steps: number }) => {
    for (let step = 0; step < steps; step += 1) {
      marks.push(performance.now());
      await context.step('work', () => result);
    }
    marks.push(performance.now());
    return terminations.naturalEnd();
  },
});

export function ours(engine: PostgresEngine): Way {
  return {
    name: 'fullstop',
    times: timesHere,
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

/** The same row in tables of the same shape with the same fence, and nothing else. */
export async function bareInsert(pool: pg.Pool): Promise<Way> {
  await pool.query(`CREATE SCHEMA bare; CREATE TABLE bare.runs (LIKE fullstop.runs INCLUDING ALL);
    CREATE TABLE bare.journal (LIKE fullstop.journal INCLUDING ALL)`);
  return {
    name: 'one fenced insert',
    times: timesHere,
    run: async (runId, steps) => {
      const { rows } = await pool.query<{ id: string }>(
        `INSERT INTO bare.runs (run_id, name, version, state, segment, started_at, epoch) VALUES ($1, 'bare', '1', 'running', 1, 0, 1) RETURNING id`,
        [runId],
      );
      for (let step = 1; step <= steps; step += 1) {
        marks.push(performance.now());
        await pool.query({ ...insert, values: [rows[0]?.id, 1, step, Date.now(), text, hash] });
      }
      marks.push(performance.now());
    },
    stored: async (runId) => {
      const { rows } = await pool.query(
        'SELECT count(*)::int AS count FROM bare.journal WHERE run = (SELECT id FROM bare.runs WHERE run_id = $1)',
        [runId],
      );
      return (rows[0] as { readonly count: number }).count;
    },
  };
}

export async function dbos(url: string): Promise<Way> {
  const workflow = DBOS.registerWorkflow(
    async (steps: number): Promise<number> => {
      for (let step = 0; step < steps; step += 1) {
        marks.push(performance.now());
        await DBOS.runStep(async () => result, { name: 'work' });
      }
      marks.push(performance.now());
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
    times: timesHere,
    run: async (runId, steps) => {
      const handle = await DBOS.startWorkflow(workflow, { workflowID: runId })(steps);
      mustBe(await handle.getResult(), steps, 'the steps of a workflow');
    },
    stored: async (runId) => (await DBOS.listWorkflowSteps(runId))?.length ?? 0,
  };
}

/** How long a step takes in the middle of the steps of a run, in milliseconds. */
export async function timeStep(way: Way, runId: string, steps: number = stepsOfOne): Promise<number> {
  marks = [];
  await way.run(runId, steps);
  mustBe(await way.stored(runId), steps, `the steps that ${way.name} has stored`);
  const times = way.times();
  mustBe(times.length, steps, `the steps of ${way.name} that were timed`);
  return median(times);
}

/** The same with its share of the start, the claim and the ending of its run. */
export async function timeRun(way: Way, runId: string): Promise<number> {
  const start = performance.now();
  await way.run(runId, stepsOfOne);
  const passed = performance.now() - start;
  mustBe(await way.stored(runId), stepsOfOne, `the steps that ${way.name} has stored`);
  return passed / stepsOfOne;
}

export async function timeMany(way: Way, prefix: string): Promise<number> {
  const ids = Array.from({ length: runsAtOnce }, (_, index) => `${prefix}-${index}`);
  const start = performance.now();
  await Promise.all(ids.map((runId) => way.run(runId, stepsOfEach)));
  const passed = performance.now() - start;
  for (const runId of ids) mustBe(await way.stored(runId), stepsOfEach, `the steps that ${way.name} has stored`);
  return (runsAtOnce * stepsOfEach * 1000) / passed;
}

export async function compare(
  ways: readonly Way[],
  measure: (way: Way, id: string) => Promise<number>,
): Promise<readonly (readonly number[])[]> {
  const figures = ways.map((): number[] => []);
  for (let round = -warmUps; round < rounds; round += 1)
    for (const [index, way] of ways.entries()) {
      const figure = await measure(way, `${way.name}-${round}`);
      if (round >= 0) figures[index]?.push(figure);
    }
  return figures;
}

export const ratio = (left: readonly number[], right: readonly number[]): number =>
  median(left.map((value, index) => value / (right[index] ?? Number.NaN)));

export const shown = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
