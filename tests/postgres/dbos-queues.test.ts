import { describe, expect, test } from 'vitest';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { dispatchesOf, gate, openDbos } from './dbos-engine.js';
import { isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

/** Counts who is at work at the same time. */
class Workshop {
  readonly order: string[] = [];
  readonly most = new Map<string, number>();
  readonly #now = new Map<string, number>();

  readonly run = defineRun<{ readonly group: string }, ReturnType<typeof terminations.naturalEnd>>({
    name: 'work',
    run: async (context, { group }) => {
      await context.step('a', async () => {
        this.#enter(group, 1);
        this.#enter('all', 1);
        this.order.push(context.runId);
        // Long enough for others to come in if they may.
        await new Promise((resolve) => setTimeout(resolve, 50));
        this.#enter(group, -1);
        this.#enter('all', -1);
      });
      return terminations.naturalEnd();
    },
  });

  #enter(group: string, change: number): void {
    const count = (this.#now.get(group) ?? 0) + change;
    this.#now.set(group, count);
    this.most.set(group, Math.max(this.most.get(group) ?? 0, count));
  }
}

const base = { name: 'work', version: '1' };
const groupOf = (runId: string): string => runId.split('-')[0] as string;

describe.skipIf(isPostgresMissing)('queues', () => {
  test('hold segments that a worker executes, and DBOS lists them with the name of the run and how it ended', async () => {
    const schema = 'basic';
    const { run } = new Workshop();
    const engine = openDbos({ url: database.url, schema });
    engine.worker([run]);
    await engine.start({ ...base, runId: 'a', input: { group: 'a' } });
    const { termination } = await engine.waitForEnding('a', 1);
    expect(termination.kind).toBe('natural_end');
    await expect
      .poll(() => dispatchesOf(database.url, schema))
      .toMatchObject([{ workflow_uuid: 'a:1:0@basic.', status: 'SUCCESS', attributes: { runId: 'a', name: 'work' } }]);
  });

  test('hold the limit of all processes, and smaller priorities go first', async () => {
    const schema = 'limits';
    const { run, order, most } = new Workshop();
    const engine = openDbos({
      url: database.url,
      schema,
      queues: { limited: { globalConcurrency: 1 } },
      place: ({ runId }) => ({ queue: 'limited', priority: groupOf(runId) === 'urgent' ? 1 : 2 }),
    });
    const ids = ['usual-1', 'usual-2', 'usual-3', 'urgent-1', 'urgent-2'];
    for (const runId of ids) await engine.start({ ...base, runId, input: { group: groupOf(runId) } });
    engine.worker([run], { concurrency: 5 });
    for (const runId of ids) await engine.waitForEnding(runId, 1);
    expect(most.get('all')).toBe(1);
    // All were queued by one look, before or while the first was executed.
    expect(order.indexOf('urgent-2')).toBeLessThan(order.indexOf('usual-3'));
    expect([...order].sort()).toEqual([...ids].sort());
  });

  test('with partitions let each partition have its own share', async () => {
    const schema = 'partitions';
    const { run, most } = new Workshop();
    const engine = openDbos({
      url: database.url,
      schema,
      queues: { shared: { partitionConcurrency: 1 } },
      place: ({ runId }) => ({ queue: 'shared', partition: groupOf(runId) }),
    });
    const ids = Array.from({ length: 12 }, (_, index) => `${index % 2 === 0 ? 'ann' : 'bob'}-${index}`);
    for (const runId of ids) await engine.start({ ...base, runId, input: { group: groupOf(runId) } });
    engine.worker([run], { concurrency: 6 });
    for (const runId of ids) await engine.waitForEnding(runId, 1);
    expect([most.get('ann'), most.get('bob')]).toEqual([1, 1]);
    const queues = (await dispatchesOf(database.url, schema)).map((row) => row.queue_name);
    expect(new Set(queues)).toEqual(new Set(['shared']));
  });

  test('start no more than their rate allows, and nothing before its delay', async () => {
    const schema = 'rates';
    const { run } = new Workshop();
    const engine = openDbos({
      url: database.url,
      schema,
      queues: { slow: { rateLimit: { limitPerPeriod: 2, periodSec: 3 } } },
      place: ({ runId }) => (groupOf(runId) === 'late' ? { delaySeconds: 2 } : { queue: 'slow' }),
    });
    const startedAt = Date.now();
    const ids = ['a-1', 'a-2', 'a-3', 'a-4', 'late-1'];
    for (const runId of ids) await engine.start({ ...base, runId, input: { group: groupOf(runId) } });
    engine.worker([run]);
    const endings = new Map<string, number>();
    for (const runId of ids) endings.set(runId, (await engine.waitForEnding(runId, 1)).endedAt - startedAt);
    // Two of four cannot have begun in the first period.
    const begins = (await dispatchesOf(database.url, schema))
      .filter(({ attributes }) => groupOf(String(attributes['runId'])) === 'a')
      .map(({ started_at_epoch_ms }) => Number(started_at_epoch_ms))
      .sort((left, right) => left - right);
    expect(begins).toHaveLength(4);
    expect((begins[2] ?? 0) - (begins[0] ?? 0)).toBeGreaterThan(2000);
    expect(endings.get('late-1')).toBeGreaterThan(2000);
  });

  test('hold nothing for runs that wait for a person', async () => {
    const schema = 'waiting';
    const { run } = new Workshop();
    const asking = defineRun({
      name: 'asking',
      run: async (context) => {
        await context.wait({ id: 'ok', type: 'gate' });
        return terminations.naturalEnd();
      },
    });
    const engine = openDbos({ url: database.url, schema, queues: { fullstop: { globalConcurrency: 1 } } });
    engine.worker([run, asking], { concurrency: 1 });
    for (const runId of ['q-1', 'q-2', 'q-3']) await engine.start({ runId, name: 'asking', version: '1' });
    for (const runId of ['q-1', 'q-2', 'q-3']) expect((await engine.waitForEnding(runId, 1)).category).toBe('paused');
    await engine.start({ ...base, runId: 'w-1', input: { group: 'w' } });
    expect((await engine.waitForEnding('w-1', 1)).termination.kind).toBe('natural_end');
    await expect
      .poll(async () => (await dispatchesOf(database.url, schema)).map(({ status }) => status))
      .toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS']);
    expect(await engine.answer('q-1', 'ok', { decision: 'approve' })).toMatchObject({ status: 'delivered' });
    expect((await engine.waitForEnding('q-1', 2)).segment).toBe(2);
    const last = (await dispatchesOf(database.url, schema)).at(-1);
    expect(last?.attributes).toMatchObject({ runId: 'q-1', name: 'asking', segment: 2 });
  });

  test('take a run once, however many start it and look for it', async () => {
    const schema = 'once';
    const engines = Array.from({ length: 5 }, () => openDbos({ url: database.url, schema }));
    const begun = gate();
    let times = 0;
    const counted = defineRun({
      name: 'counted',
      run: async (context) => {
        await context.step('a', () => {
          times += 1;
          begun.open();
        });
        return terminations.naturalEnd();
      },
    });
    for (const engine of engines) engine.worker([counted]);
    const starts = engines.flatMap((engine) =>
      Array.from({ length: 6 }, () => engine.start({ runId: 'run', name: 'counted', version: '1' })),
    );
    const receipts = await Promise.all(starts);
    expect(receipts.filter((receipt) => receipt === 'started')).toHaveLength(1);
    await begun.passed;
    await engines[0]?.waitForEnding('run', 1);
    expect(times).toBe(1);
    expect(await dispatchesOf(database.url, schema)).toHaveLength(1);
  });
});
