import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findLostTicks } from '../../packages/fullstop/src/engines/dbos/dispatch-queries.js';
import { Sql, Statements } from '../../packages/fullstop/src/engines/postgres/connection/sql.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { dispatchesOf, openDbos, openOperator } from './dbos-engine.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
const day = 86_400_000;
const elsewhere = { listen: ['elsewhere'] };

const work = defineRun({
  name: 'work',
  run: async (context) => {
    await context.step('a', () => 1);
    return terminations.naturalEnd();
  },
});
const asking = defineRun({
  name: 'asking',
  run: async (context) => {
    await context.step('before', () => 1);
    await context.wait({ id: 'go', type: 'input' });
    await context.step('after', () => 2);
    return terminations.naturalEnd();
  },
});

/** Makes everything that DBOS has of these workflows so many days older. */
async function age(like: string, days: number): Promise<void> {
  await ask(
    database.url,
    'UPDATE dbos.workflow_status SET created_at = created_at - $2, updated_at = updated_at - $2, completed_at = completed_at - $2 WHERE workflow_uuid LIKE $1',
    [like, days * day],
  );
}

async function idsOf(schema: string): Promise<readonly string[]> {
  return (await dispatchesOf(database.url, schema)).map(({ workflow_uuid: id }) => id).sort();
}

async function areFinished(schema: string, count: number): Promise<void> {
  const finished = async (): Promise<number> =>
    (await dispatchesOf(database.url, schema)).filter(({ status }) => status === 'SUCCESS').length;
  await expect.poll(finished).toBe(count);
}

/** What DBOS keeps of workflows in each of its tables, beside the row of each. */
async function partsOf(like: string): Promise<number> {
  const [row] = await ask<{ count: number }>(
    database.url,
    `SELECT ((SELECT count(*) FROM dbos.workflow_input WHERE workflow_uuid LIKE $1) + (SELECT count(*) FROM dbos.workflow_output WHERE workflow_uuid LIKE $1)
       + (SELECT count(*) FROM dbos.operation_outputs WHERE workflow_uuid LIKE $1))::int AS count`,
    [like],
  );
  return row?.count ?? 0;
}

describe.skipIf(isPostgresMissing)('what DBOS keeps of dispatches', () => {
  test('goes a week after their end, with everything that belongs to it; what is younger, unfinished or of others stays', async () => {
    const schema = 'aged';
    const engine = openDbos({ url: database.url, schema });
    engine.worker([work]);
    for (const runId of ['old', 'young']) {
      await engine.start({ runId, name: 'work', version: '1' });
      await engine.waitForEnding(runId, 1);
    }
    await areFinished(schema, 2);
    await engine.close();
    // Never executed, and the row says that it ended: its status counts.
    const queueing = openDbos({ url: database.url, schema, ...elsewhere });
    queueing.worker([work]);
    await queueing.start({ runId: 'queued', name: 'work', version: '1' });
    await expect.poll(() => idsOf(schema)).toHaveLength(3);
    await queueing.close();
    await ask(
      database.url,
      "UPDATE dbos.workflow_status SET completed_at = created_at WHERE workflow_uuid LIKE 'queued:%'",
    );
    await age(`queued:%@${schema}.`, 30);
    await age(`old:%@${schema}.`, 8);
    await age(`young:%@${schema}.`, 6);
    // More than one look's worth of another program, which ended earlier, and another store.
    await ask(
      database.url,
      `INSERT INTO dbos.workflow_status (workflow_uuid, status, name, completed_at)
       SELECT 'theirs ' || n, 'SUCCESS', CASE WHEN n <= 600 THEN 'fullstop.segment' ELSE 'theirs' END, 1 FROM generate_series(1, 1200) n`,
    );
    await ask(
      database.url,
      `UPDATE dbos.workflow_status SET attributes = '{"store": "other", "runId": "x", "epoch": 0}' WHERE workflow_uuid LIKE 'theirs %'`,
    );
    expect(await partsOf(`old:%@${schema}.`)).toBeGreaterThan(0);
    const last = openDbos({ url: database.url, schema, ...elsewhere });
    last.worker([work]);
    await expect.poll(() => idsOf(schema)).toEqual([`queued:1:0@${schema}.`, `young:1:0@${schema}.`]);
    expect(await partsOf(`old:%@${schema}.`)).toBe(0);
    expect(await partsOf(`young:%@${schema}.`)).toBeGreaterThan(0);
    const theirs = await ask(database.url, "SELECT 1 FROM dbos.workflow_status WHERE workflow_uuid LIKE 'theirs %'");
    expect(theirs).toHaveLength(1200);
    expect((await last.summary('old'))?.kind).toBe('natural_end');
  });

  test('is removed earlier or later where the option says so, and the option must be a time', async () => {
    const schema = 'option';
    const engine = openDbos({ url: database.url, schema });
    engine.worker([work]);
    await engine.start({ runId: 'run', name: 'work', version: '1' });
    await engine.waitForEnding('run', 1);
    await areFinished(schema, 1);
    await engine.close();
    await age(`run:%@${schema}.`, 2);
    const other = openDbos({ url: database.url, schema, keepDispatchesMs: day, ...elsewhere });
    other.worker([work]);
    await expect.poll(() => idsOf(schema)).toEqual([]);
    for (const keepDispatchesMs of [0, -1, 0.5, Number.NaN])
      expect(() => openDbos({ url: database.url, schema, keepDispatchesMs })).toThrow(
        'dbosEngine: keepDispatchesMs is',
      );
  });

  test('stays while its run still has to hear of it: a run that was cancelled in DBOS is cancelled by the next worker', async () => {
    const schema = 'awaited';
    const operator = await openOperator(database.url);
    const queueing = openDbos({ url: database.url, schema, ...elsewhere });
    queueing.worker([work]);
    await queueing.start({ runId: 'run', name: 'work', version: '1' });
    await queueing.start({ runId: 'ended', name: 'work', version: '1' });
    await expect.poll(() => idsOf(schema)).toHaveLength(2);
    await queueing.cancel('ended', { by: 'operator', hard: true });
    await queueing.close();
    for (const runId of ['run', 'ended']) await operator.cancelWorkflow(`${runId}:1:0@${schema}.`);
    await age(`%@${schema}.`, 30);
    await ask(database.url, `UPDATE ${schema}.runs SET state = 'ended' WHERE run_id = 'ended'`);
    // It has another definition, so that it removes what is old and does nothing with the run.
    const other = openDbos({ url: database.url, schema });
    other.worker([asking]);
    await expect.poll(() => idsOf(schema)).toEqual([`run:1:0@${schema}.`]);
    await other.close();
    const engine = openDbos({ url: database.url, schema });
    engine.worker([work]);
    const { termination } = await engine.waitForEnding('run', 1);
    expect(termination).toMatchObject({ kind: 'cancelled', by: 'operator' });
  });

  test('is not needed by a run that was paused for long: it is answered and continues', async () => {
    const schema = 'paused';
    const engine = openDbos({ url: database.url, schema });
    engine.worker([asking]);
    await engine.start({ runId: 'run', name: 'asking', version: '1' });
    await engine.waitForEnding('run', 1);
    await areFinished(schema, 1);
    await engine.close();
    await age(`run:%@${schema}.`, 30);
    const later = openDbos({ url: database.url, schema });
    later.worker([asking]);
    await expect.poll(() => idsOf(schema)).toEqual([]);
    expect(await later.answer('run', 'go', { decision: 'value', value: 1 })).toMatchObject({ status: 'delivered' });
    expect((await later.waitForEnding('run', 2)).termination.kind).toBe('natural_end');
    // Its next dispatch has another id: nothing is queued twice under one.
    await areFinished(schema, 1);
    const [next] = await idsOf(schema);
    expect(next).toMatch(/^run:2:[1-9]\d*@/);
    const steps = await later.journal('run', { types: ['step_ended'] });
    expect(steps).toHaveLength(2);
  });

  test('of a run that is removed goes with it, and leaves nothing to a run of the same id', async () => {
    const schema = 'pruned';
    const engine = openDbos({ url: database.url, schema });
    engine.worker([work]);
    const runs = ['pruned', 'erased', 'kept'];
    for (const runId of runs) {
      await engine.start({ runId, name: 'work', version: '1' });
      await engine.waitForEnding(runId, 1);
    }
    await areFinished(schema, 3);
    await engine.close();
    // An operator cancelled it: this must not be taken for a wish about another run.
    await ask(
      database.url,
      "UPDATE dbos.workflow_status SET status = 'CANCELLED' WHERE workflow_uuid LIKE 'pruned:%' OR workflow_uuid LIKE 'erased:%'",
    );
    const owner = openDbos({ url: database.url, schema });
    await ask(database.url, `UPDATE ${schema}.runs SET ended_at = 1 WHERE run_id = 'pruned'`);
    expect(await owner.prune({ endedBefore: 2 })).toBe(1);
    expect(await idsOf(schema)).toEqual([`erased:1:0@${schema}.`, `kept:1:0@${schema}.`]);
    expect(await owner.erase('erased')).toBe('erased');
    expect(await idsOf(schema)).toEqual([`kept:1:0@${schema}.`]);
    expect(await partsOf(`pruned:%@${schema}.`)).toBe(0);
    const again = openDbos({ url: database.url, schema });
    again.worker([work]);
    await again.start({ runId: 'pruned', name: 'work', version: '1' });
    expect((await again.waitForEnding('pruned', 1)).termination.kind).toBe('natural_end');
  });

  test('is left alone by whoever may not remove it, and where there is no DBOS', async () => {
    const schema = 'rightless';
    const role = 'fullstop_pruner';
    const engine = openDbos({ url: database.url, schema });
    engine.worker([work]);
    await engine.start({ runId: 'run', name: 'work', version: '1' });
    await engine.waitForEnding('run', 1);
    await areFinished(schema, 1);
    await engine.close();
    await ask(database.url, `DROP ROLE IF EXISTS ${role}`).catch(() => undefined);
    await ask(
      database.url,
      `CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
    );
    onTestFinished(async () => {
      await ask(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    });
    const url = new URL(database.url);
    url.username = role;
    const pruner = openDbos({ url: url.href, schema });
    expect(await pruner.prune({ endedBefore: Date.now() + day })).toBe(1);
    expect(await idsOf(schema)).toEqual([`run:1:0@${schema}.`]);
    const alone = openDbos({ url: database.url, schema: 'alone', dbosSchema: 'nothing' });
    await alone.start({ runId: 'run', name: 'work', version: '1' });
    expect(await alone.erase('run')).toBe('erased');
  });
});

describe.skipIf(isPostgresMissing)('what DBOS keeps of the ticks of a schedule', () => {
  const tickId = (schedule: string, schema: string, at: number): string =>
    `sched-${schedule}@${schema}.-${new Date(at).toISOString()}`;

  /** A tick as DBOS leaves it behind. */
  async function leaveTick(schedule: string, schema: string, at: number, status = 'SUCCESS'): Promise<void> {
    await ask(
      database.url,
      `INSERT INTO dbos.workflow_status (workflow_uuid, status, name, schedule_name, queue_name, created_at, completed_at)
       VALUES ($1, $2, 'fullstop.tick', $3, '_dbos_internal_queue', $4, $4)`,
      [tickId(schedule, schema, at), status, `${schedule}@${schema}.`, at],
    );
  }

  async function ticksOf(schema: string): Promise<readonly string[]> {
    const rows = await ask<{ workflow_uuid: string }>(
      database.url,
      'SELECT workflow_uuid FROM dbos.workflow_status WHERE schedule_name LIKE $1 ORDER BY workflow_uuid',
      [`%@${schema}.`],
    );
    return rows.map(({ workflow_uuid: id }) => id);
  }

  test('goes with its age and is not repeated, and the last one and those that could be made up for stay', async () => {
    const schema = 'ticks';
    const engine = openDbos({ url: database.url, schema });
    const options = { name: 'late', cron: '0 0 * * *', input: {}, missed: 'run' } as const;
    await engine.schedule(work, options);
    const today = Date.now() - (Date.now() % day);
    const [first, second, fired, cancelled] = [12, 11, 10, 9].map((days) => today - days * day) as [
      number,
      number,
      number,
      number,
    ];
    await leaveTick('late', schema, first);
    await leaveTick('late', schema, second, 'CANCELLED');
    await leaveTick('late', schema, fired);
    // Cancelled by an operator before it was due, and every worker was away since.
    await leaveTick('late', schema, cancelled, 'CANCELLED');
    await leaveTick('gone', schema, first);
    await ask(database.url, 'UPDATE dbos.workflow_schedules SET last_fired_at = $1 WHERE schedule_name = $2', [
      new Date(fired).toISOString(),
      `late@${schema}.`,
    ]);
    engine.worker([work]);
    const runOf = (at: number): string => `late-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}`;
    const madeUp = Array.from({ length: 9 }, (_, index) => runOf(today - index * day));
    const runs = async (): Promise<readonly string[]> => (await engine.list()).runs.map(({ runId }) => runId).sort();
    await expect.poll(runs).toEqual([...madeUp].sort());
    const left = [first, second, fired, cancelled].map((at) => tickId('late', schema, at));
    const old = [...left, tickId('gone', schema, first)];
    const present = async (): Promise<readonly string[]> => (await ticksOf(schema)).filter((id) => old.includes(id));
    await expect.poll(present).toEqual([tickId('late', schema, fired), tickId('late', schema, cancelled)]);
    for (const runId of madeUp) await engine.waitForEnding(runId, 1);
    await engine.close();
    // The next worker makes up for what is missing after the last one that fired, which shows that it has looked.
    await ask(database.url, 'DELETE FROM dbos.workflow_status WHERE workflow_uuid = $1', [
      tickId('late', schema, today),
    ]);
    await ask(database.url, `UPDATE ${schema}.runs SET ended_at = 1 WHERE run_id = '${runOf(today)}'`);
    const next = openDbos({ url: database.url, schema });
    expect(await next.prune({ endedBefore: 2 })).toBe(1);
    next.worker([work]);
    const again = async (): Promise<readonly string[]> => (await next.list()).runs.map(({ runId }) => runId).sort();
    await expect.poll(again).toEqual([...madeUp].sort());
  });

  test('is not gone through when lost ticks are looked for', async () => {
    const schema = 'many';
    const client = postgresEngine({ url: database.url, schema });
    await client.list();
    await client.close();
    await ask(
      database.url,
      `INSERT INTO dbos.workflow_status (workflow_uuid, status, name, schedule_name, completed_at)
       SELECT 'sched-many-' || n, CASE WHEN n = 1 THEN 'ERROR' ELSE 'SUCCESS' END, 'fullstop.tick', 'many@${schema}.', 1 FROM generate_series(1, 20000) n`,
    );
    await ask(database.url, 'VACUUM ANALYZE dbos.workflow_status');
    const connection = new pg.Client({ connectionString: database.url });
    await connection.connect();
    onTestFinished(() => connection.end());
    const tables = { schema, dbosSchema: 'dbos' };
    const statements = new Statements(schema, false);
    expect(await findLostTicks(new Sql(connection, statements), tables)).toEqual(['sched-many-1']);
    let plan = '';
    const explaining = {
      query: async ({ text, values = [] }: { readonly text: string; readonly values?: readonly unknown[] }) => {
        const { rows } = await connection.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
        plan = JSON.stringify(rows);
        return { rows: [], rowCount: 0 };
      },
    };
    await findLostTicks(new Sql(explaining, statements), tables);
    const touched = [...plan.matchAll(/"(?:Rows Removed by Filter|Actual Rows)":([\d.]+)/g)].map(([, rows]) =>
      Number(rows),
    );
    expect(touched.length).toBeGreaterThan(0);
    expect(Math.max(...touched)).toBeLessThan(5000);
  });
});
