import { describe, expect, test } from 'vitest';
import type { DbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { dispatchesOf, gate, openDbos, openOperator } from './dbos-engine.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

const work = defineRun({
  name: 'work',
  run: async (context) => {
    await context.step('a', () => 1);
    return terminations.naturalEnd();
  },
});
const start = { name: 'work', version: work.version };
/** A worker that queues runs and executes none. */
const elsewhere = { listen: ['elsewhere'] };

/** Queues a run without executing it, and lets the operator do something to its dispatch. */
async function queueAndTouch(schema: string, touch: (id: string) => Promise<unknown>): Promise<void> {
  const engine = openDbos({ url: database.url, schema, ...elsewhere });
  engine.worker([work]);
  await engine.start({ ...start, runId: 'run' });
  const id = `run:1:0@${schema}.`;
  await expect
    .poll(async () => (await dispatchesOf(database.url, schema)).map((row) => row.workflow_uuid))
    .toEqual([id]);
  await engine.close();
  await touch(id);
}

async function statusOf(id: string, status: string): Promise<void> {
  await ask(database.url, 'UPDATE dbos.workflow_status SET status = $2 WHERE workflow_uuid = $1', [id, status]);
}

describe.skipIf(isPostgresMissing)('a dispatch that DBOS ends by itself', () => {
  test('cancelled in the queue: the run ends as cancelled by an operator', async () => {
    const operator = await openOperator(database.url);
    await queueAndTouch('cancelled', (id) => operator.cancelWorkflow(id));
    const engine = openDbos({ url: database.url, schema: 'cancelled' });
    engine.worker([work]);
    const { termination } = await engine.waitForEnding('run', 1);
    expect(termination).toMatchObject({ kind: 'cancelled', by: 'operator' });
    expect(await engine.journal('run', { types: ['step_started'] })).toEqual([]);
  });

  test('given up after too many recoveries: the run ends as a crash loop', async () => {
    await queueAndTouch('exhausted', (id) => statusOf(id, 'MAX_RECOVERY_ATTEMPTS_EXCEEDED'));
    const engine = openDbos({ url: database.url, schema: 'exhausted' });
    engine.worker([work]);
    const { termination } = await engine.waitForEnding('run', 1);
    expect(termination).toMatchObject({ kind: 'failed', error: { code: 'CRASH_LOOP' } });
  });

  test.each([
    ['failed', (id: string) => statusOf(id, 'ERROR')],
    ['called a success', (id: string) => statusOf(id, 'SUCCESS')],
    ['removed', (id: string) => ask(database.url, 'DELETE FROM dbos.workflow_status WHERE workflow_uuid = $1', [id])],
    [
      'dequeued by a process that died before it claimed the run',
      (id: string) =>
        ask(
          database.url,
          "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = 'gone', started_at_epoch_ms = 1 WHERE workflow_uuid = $1",
          [id],
        ),
    ],
    [
      'queued for a version that nobody has any more',
      (id: string) =>
        ask(database.url, "UPDATE dbos.workflow_status SET application_version = 'old' WHERE workflow_uuid = $1", [id]),
    ],
  ])('%s: the run is queued again, and ends', async (what, touch) => {
    const schema = `touched_${what.slice(0, 12).replaceAll(' ', '_')}`;
    await queueAndTouch(schema, touch);
    const engine = openDbos({ url: database.url, schema });
    engine.worker([work]);
    const { termination } = await engine.waitForEnding('run', 1);
    expect(termination.kind).toBe('natural_end');
    await expect
      .poll(async () => (await dispatchesOf(database.url, schema)).filter(({ status }) => status === 'PENDING'))
      .toEqual([]);
  });
});

describe.skipIf(isPostgresMissing)('a running segment', () => {
  test('that is cancelled in DBOS is stopped at once and ends as cancelled', async () => {
    const schema = 'hard';
    const operator = await openOperator(database.url);
    const engine = openDbos({ url: database.url, schema });
    const begun = gate();
    let undone = 0;
    const hanging = defineRun({
      name: 'hanging',
      run: async (context) => {
        context.onCancel('undo', () => {
          undone += 1;
        });
        await context.step('a', ({ signal }) => {
          begun.open();
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        });
        return terminations.naturalEnd();
      },
    });
    engine.worker([hanging]);
    await engine.start({ runId: 'run', name: 'hanging', version: '1' });
    await begun.passed;
    await operator.cancelWorkflow(`run:1:0@${schema}.`);
    const { termination } = await engine.waitForEnding('run', 1);
    expect(termination).toMatchObject({ kind: 'cancelled', by: 'operator' });
    expect(undone).toBe(0);
  });

  test('that is rewound or forked in DBOS does nothing again', async () => {
    const schema = 'rewound';
    const operator = await openOperator(database.url);
    const engine = openDbos({ url: database.url, schema });
    engine.worker([work]);
    await engine.start({ ...start, runId: 'run' });
    await engine.waitForEnding('run', 1);
    const id = `run:1:0@${schema}.`;
    await expect.poll(async () => (await dispatchesOf(database.url, schema))[0]?.status).toBe('SUCCESS');
    const before = await engine.journal('run');
    const outputOf = async (workflowId: string): Promise<unknown> =>
      (await operator.listWorkflows({ workflowIDs: [workflowId] }))[0]?.output;
    // What it came to, in DBOS's own listing.
    expect(await outputOf(id)).toEqual({
      result: 'ended',
      kind: 'natural_end',
      category: 'success',
      outcome: 'succeeded',
    });
    await operator.rewindWorkflow(id);
    await expect.poll(() => outputOf(id)).toEqual({ result: 'superseded' });
    const forked = await operator.forkWorkflow(id, 0);
    await expect.poll(() => outputOf(forked)).toEqual({ result: 'superseded' });
    expect(await engine.journal('run')).toEqual(before);
  });
});

describe.skipIf(isPostgresMissing)('versions', () => {
  test('are sent with every dispatch, and runs that nobody can execute are named instead of queued', async () => {
    const schema = 'versions';
    const engine = openDbos({ url: database.url, schema });
    const client = postgresEngine({ url: database.url, schema });
    await client.start({ ...start, runId: 'old', version: 'old' });
    await client.start({ ...start, runId: 'new' });
    await client.close();
    engine.worker([work]);
    await engine.waitForEnding('new', 1);
    expect(await engine.unserved()).toEqual([{ name: 'work', version: 'old', ready: 1, parked: 0 }]);
    const dispatches = await dispatchesOf(database.url, schema);
    expect(dispatches.map(({ attributes }) => attributes['runId'])).toEqual(['new']);
    expect(dispatches[0]?.application_version).toMatch(/^fullstop-[0-9a-f]{16}$/);
    engine.worker([{ ...work, version: 'old' }]);
    const { termination } = await engine.waitForEnding('old', 1);
    expect(termination.kind).toBe('natural_end');
    expect(await engine.unserved()).toEqual([]);
  });

  test('name runs on a queue that nobody listens to who may take them', async () => {
    const schema = 'unheard';
    const engine = openDbos({ url: database.url, schema, listen: ['fullstop'], place: () => ({ queue: 'heavy' }) });
    engine.worker([work]);
    await engine.start({ ...start, runId: 'run' });
    const unheard = { name: 'work', version: work.version, queue: 'heavy', ready: 1, parked: 0 };
    await expect.poll(() => engine.unserved()).toEqual([unheard]);
  });

  test('are one per process: a second engine with another one is refused, and with the same one is not', async () => {
    const open = (applicationVersion?: string): DbosEngine =>
      openDbos({ url: database.url, schema: 'one', ...(applicationVersion !== undefined && { applicationVersion }) });
    open('first').worker([work]);
    open('first').worker([work]);
    open().worker([{ ...work, version: 'other' }]);
    expect(() => open('second').worker([work])).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining('first') }),
    );
  });
});
