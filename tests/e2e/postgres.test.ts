import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask, isPostgresMissing, testDatabase } from '../postgres/test-database.js';
import { type Finished, Place } from './binary.js';
import { workflows } from './workflows.js';

const database = testDatabase();
let place: Place;
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(() => place.remove());

const commandOn =
  (store: { readonly url: string }) =>
  (...args: readonly string[]): Promise<Finished> =>
    place.start(args, { FULLSTOP_STORE: store.url }).finished;
const command = commandOn(database);

describe.skipIf(isPostgresMissing)('a store on Postgres', () => {
  it('starts, answers, continues and explains runs as a file does', async () => {
    const paused = await command('run', 'refund.yaml', '-i', 'age=60', '--run-id', 'asked-1');
    expect(paused.code).toBe(5);
    expect((await command('runs')).stdout).toContain('asked-1');
    const answered = await command('answer', 'asked-1', '--choose', 'approve');
    expect(answered.stderr + answered.stdout).not.toContain('error');
    const resumed = await command('worker', '--until-idle');
    expect(resumed.code).toBe(0);
    await command('run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused-1');
    for (const [args, shows] of [
      [['runs'], 'refused-1'],
      [['show', 'refused-1'], 'fetch'],
      [['why', 'refused-1'], 'order is 120 days old'],
      [['why', 'asked-1'], 'fresh'],
      [['events', 'refused-1', '--follow'], '"segment_ended"'],
      [['stats'], 'terminated'],
      [['verify', '--all'], '2 runs, 0 broken'],
      [['export', 'refused-1'], '"segment_ended"'],
      [['what-if', 'refused-1', '--max-iterations', '1'], 'refused-1'],
      [['doctor'], '2 runs'],
    ] as const) {
      const { code, stdout, stderr } = await command(...args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringContaining('error') });
      expect(stdout).toContain(shows);
    }
    const backup = await command('backup', 'copy.db');
    expect(backup).toMatchObject({ code: 2, stderr: expect.stringContaining('pg_dump') });
    const erased = await command('erase', 'refused-1', '--yes');
    expect(erased.code).toBe(0);
    expect((await command('verify', 'refused-1')).stdout).toContain('erased');
  });

  it('is served by a worker that run --detach starts, without its address among the arguments', async () => {
    const started = await command('run', 'loop.yaml', '--detach', '--run-id', 'left-1');
    expect(started).toMatchObject({ code: 0 });
    await expect.poll(async () => (await command('runs', '--state', 'ended', '--ids')).stdout).toContain('left-1');
    expect((await command('verify', 'left-1')).stdout).toContain('consistent');
  });

  it('leaves runs alone that were not left to the worker of run --detach', async () => {
    await command('run', 'refund.yaml', '-i', 'age=60', '--run-id', 'of-others');
    await command('answer', 'of-others', '--choose', 'approve', '--no-run');
    expect(await command('run', 'loop.yaml', '--detach', '--run-id', 'left-2')).toMatchObject({ code: 0 });
    await expect.poll(async () => (await command('runs', '--state', 'ended', '--ids')).stdout).toContain('left-2');
    // It leaves when it finds nothing more to do, and so would have found this.
    const marks = (): readonly string[] =>
      readdirSync(place.path('.fullstop')).filter((name) => name.endsWith('.worker'));
    await expect.poll(marks).toEqual([]);
    expect((await command('runs', '--state', 'ready', '--ids')).stdout).toBe('of-others\n');
    expect((await command('worker', '--until-idle')).code).toBe(0);
    expect((await command('runs', '--state', 'ready', '--ids')).stdout).toBe('');
  });

  it('leaves a detached run to the workers of its queue where queues are configured', async () => {
    place.write({
      'fullstop.config.json': JSON.stringify({ queues: { few: { globalConcurrency: 1, workflows: ['loop'] } } }),
    });
    const left = await command('run', 'loop.yaml', '--detach', '--run-id', 'queued-2');
    expect(left).toMatchObject({ code: 0, stdout: 'queued-2\n' });
    expect(left.stderr).toContain('fullstop worker --queue fullstop --queue few');
    expect((await command('runs', '--state', 'ready', '--ids')).stdout).toBe('queued-2\n');
    expect(await command('worker', '--queue', 'few', '--until-idle')).toMatchObject({ code: 0 });
    expect((await command('runs', '--state', 'ended', '--ids')).stdout).toContain('queued-2');
  });

  it('has queues, which workers on DBOS empty within their limits', async () => {
    place.write({
      'fullstop.config.json': JSON.stringify({ queues: { slow: { globalConcurrency: 1, workflows: ['refund'] } } }),
    });
    await command('run', 'refund.yaml', '-i', 'age=60', '--run-id', 'queued-1');
    await command('answer', 'queued-1', '--choose', 'approve', '--no-run');
    const missing = await command('worker', '--queue', 'fast', '--until-idle');
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('names fullstop, slow') });
    const worked = await command('worker', '--queue', 'slow', '--until-idle');
    expect({ code: worked.code, stderr: worked.stderr }).toMatchObject({ code: 0 });
    expect((await command('why', 'queued-1')).stdout).toContain('fresh');
    const [dispatch] = await ask<{ queue_name: string; status: string }>(
      database.url,
      "SELECT queue_name, status FROM dbos.workflow_status WHERE attributes->>'runId' = 'queued-1'",
    );
    expect(dispatch).toEqual({ queue_name: 'slow', status: 'SUCCESS' });
  });

  it('keeps what DBOS has dispatched for as long as --keep-dispatches says, and a week otherwise', async () => {
    await command('run', 'refund.yaml', '-i', 'age=60', '--run-id', 'kept');
    await command('answer', 'kept', '--choose', 'approve', '--no-run');
    const dispatches = (): Promise<unknown[]> =>
      ask(database.url, "SELECT status FROM dbos.workflow_status WHERE attributes->>'runId' = 'kept'");
    for (const wish of [[], ['--keep-dispatches', '1h']]) {
      const usual = await command('worker', '--queue', 'fullstop', '--until-idle', ...wish);
      expect({ wish, code: usual.code, stderr: usual.stderr }).toMatchObject({ wish, code: 0 });
      expect(await dispatches()).toEqual([{ status: 'SUCCESS' }]);
    }
    const worker = place.start(['worker', '--queue', 'fullstop', '--keep-dispatches', '1ms'], {
      FULLSTOP_STORE: database.url,
    });
    await expect.poll(dispatches).toEqual([]);
    worker.child.kill('SIGTERM');
    expect((await worker.finished).code).toBe(0);
    expect((await command('why', 'kept')).code).toBe(0);
    const unqueued = await command('worker', '--keep-dispatches', '30d');
    expect(unqueued).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --queue') });
    const odd = await command('worker', '--queue', 'fullstop', '--keep-dispatches', 'long');
    expect(odd).toMatchObject({ code: 2, stderr: expect.stringContaining('--keep-dispatches needs a duration') });
  });

  it('has schedules, whose runs a worker starts when they are due', async () => {
    const added = await command('schedule', 'add', 'refund.yaml', '--cron', '* * * * * *', '-i', 'age=120');
    expect(added).toMatchObject({ code: 0, stdout: 'refund\n', stderr: expect.stringContaining('Next: ') });
    const bad = await command('schedule', 'add', 'refund.yaml', '--cron', '99 * * * *', '-i', 'age=120');
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('it must be five fields') });
    expect((await command('schedule', 'list')).stdout).toMatch(/^refund +refund +\* \* \* \* \* \* +UTC/m);
    const worker = place.start(['worker', '--queue', 'fullstop'], { FULLSTOP_STORE: database.url });
    const ended = async (): Promise<string> => (await command('runs', '--state', 'ended', '--ids')).stdout;
    await expect.poll(ended).toMatch(/^refund-\d{8}T\d{6}Z$/m);
    const removed = await command('schedule', 'remove', 'refund');
    expect(removed).toMatchObject({ code: 0, stderr: expect.stringContaining('is removed') });
    const again = await command('schedule', 'remove', 'refund');
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('there are none') });
    worker.child.kill('SIGTERM');
    expect((await worker.finished).code).toBe(0);
    const [runId = ''] = (await ended()).match(/^refund-\S+$/m) ?? [];
    expect((await command('why', runId)).stdout).toContain('order is 120 days old');
    const onFile = await command('schedule', 'list', '--store', 'runs.db');
    expect(onFile).toMatchObject({ code: 2, stderr: expect.stringContaining('Schedules need a store on Postgres') });
  });

  it('that does not answer is named without its password', async () => {
    const nowhere = commandOn({ url: 'postgres://ann:secret@127.0.0.1:1/runs' });
    for (const args of [
      ['runs'],
      ['dashboard'],
      ['schedule', 'list'],
      ['schedule', 'add', 'refund.yaml', '--cron', '5 * * * *', '-i', 'age=1'],
      ['worker', '--queue', 'fullstop', '--until-idle'],
    ]) {
      const { code, stderr, stdout } = await nowhere(...args);
      expect({ args, code, stderr }).toMatchObject({ args, code: 4, stderr: expect.stringContaining('[STORE_IO]') });
      expect(stderr).toContain('Postgres at 127.0.0.1:1/runs cannot be reached. Check that the server runs');
      expect(stderr + stdout).not.toContain('secret');
    }
  });
});
