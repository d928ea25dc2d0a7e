import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { type Cluster, startCluster } from './cluster.js';
import { dispatchesOf, openDbos, startStubborn } from './dbos-engine.js';
import { isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
/** Longer than any test may take: whoever waits for this lease never ends. */
const endless = 1_000_000;

const stubborn = defineRun({
  name: 'stubborn',
  run: async (context) => {
    const first = await context.step('first', () => -1);
    const second = await context.step('second', () => -2);
    return terminations.custom({ reason: 'ended', category: 'success', properties: { first, second } });
  },
});

const start = { runId: 'run', name: 'stubborn', version: '1' };

/** Nothing may be left that DBOS believes to be running: it would count against the limits of its queue for ever. */
async function expectNothingStranded(url: string, schema: string): Promise<void> {
  await expect.poll(async () => (await dispatchesOf(url, schema)).map(({ status }) => status)).not.toContain('PENDING');
}

describe.skipIf(isPostgresMissing)('another worker on DBOS', () => {
  test('continues with the runs of one that was killed, and frees its place in the queue', async () => {
    const schema = 'killed';
    const engine = openDbos({
      url: database.url,
      schema,
      leaseMs: endless,
      queues: { fullstop: { globalConcurrency: 1 } },
    });
    await engine.start(start);
    const child = startStubborn(database.url, schema, endless);
    await expect.poll(child.said).toContain('in the second step');
    const worker = engine.worker([stubborn]);
    child.process.kill('SIGKILL');
    const ending = await engine.waitForEnding('run', 1);
    expect(ending.termination).toMatchObject({ properties: { first: child.process.pid, second: -2 } });
    expect(await engine.verify('run', ending.headHash)).toMatchObject({ status: 'proved' });
    await expectNothingStranded(database.url, schema);
    const executors = (await dispatchesOf(database.url, schema)).map(({ executor_id: id }) => id);
    expect(executors).toHaveLength(2);
    expect(new Set(executors).size).toBe(2);
    await worker.stop();
  });

  test('continues with the runs of one that is frozen, and the thawed one writes nothing', async () => {
    const schema = 'frozen';
    const leaseMs = 2000;
    const engine = openDbos({ url: database.url, schema, leaseMs });
    await engine.start(start);
    const child = startStubborn(database.url, schema, leaseMs);
    await expect.poll(child.said).toContain('in the second step');
    child.process.kill('SIGSTOP');
    const worker = engine.worker([stubborn]);
    const ending = await engine.waitForEnding('run', 1);
    expect(ending.termination).toMatchObject({ properties: { first: child.process.pid, second: -2 } });
    // While its process is still there.
    await expectNothingStranded(database.url, schema);
    const before = await engine.journal('run');
    child.process.kill('SIGCONT');
    child.process.stdin?.write('continue\n');
    await expect.poll(child.said).toContain('fenced');
    expect(await engine.journal('run')).toEqual(before);
    expect(await engine.verify('run', ending.headHash)).toMatchObject({ status: 'proved' });
    await worker.stop();
  });

  test('that starts while the first one drains strands nothing, whoever gets which run', async () => {
    const schema = 'draining';
    const engine = openDbos({ url: database.url, schema });
    await engine.start(start);
    const child = startStubborn(database.url, schema, endless);
    await expect.poll(child.said).toContain('in the second step');
    child.process.kill('SIGTERM');
    await expect.poll(child.said).toContain('draining');
    const worker = engine.worker([stubborn]);
    await engine.start({ ...start, runId: 'later' });
    const later = await engine.waitForEnding('later', 1);
    expect(later.termination).toMatchObject({ properties: { first: -1, second: -2 } });
    expect(child.said()).not.toContain('drained');
    child.process.stdin?.write('continue\n');
    const ending = await engine.waitForEnding('run', 1);
    const { pid } = child.process;
    expect(ending.termination).toMatchObject({ properties: { first: pid, second: pid } });
    await expect.poll(child.said).toContain('drained');
    await expectNothingStranded(database.url, schema);
    expect((await dispatchesOf(database.url, schema)).map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS']);
    await worker.stop();
  });
});

describe.skipIf(isPostgresMissing || process.env['PG_URL'] !== undefined)('a server that restarts', () => {
  let cluster: Cluster;
  // A server of its own: it is killed.
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());

  test('while the runs of a dead worker are taken over strands nothing', async () => {
    const schema = 'restarted';
    const { url } = cluster;
    const engine = openDbos({ url, schema, leaseMs: 60_000 });
    const ids = Array.from({ length: 5 }, (_, index) => `run-${index}`);
    for (const runId of ids) await engine.start({ ...start, runId });
    const child = startStubborn(url, schema, 60_000);
    const stuck = (): number => child.said().split('in the second step').length - 1;
    await expect.poll(stuck).toBe(ids.length);
    const worker = engine.worker([stubborn]);
    onTestFinished(() => worker.stop(0));
    child.process.kill('SIGKILL');
    await cluster.kill?.();
    await cluster.restart?.();
    for (const runId of ids) {
      const ending = await engine.waitForEnding(runId, 1);
      expect(ending.termination).toMatchObject({ properties: { first: child.process.pid, second: -2 } });
    }
    await expectNothingStranded(url, schema);
  });
});
