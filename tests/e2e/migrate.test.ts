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

const onFile = (...args: readonly string[]): Promise<Finished> => place.run(args, { FULLSTOP_STORE: 'runs.db' });
const onServer = (...args: readonly string[]): Promise<Finished> => place.run(args, { FULLSTOP_STORE: database.url });
const migrate = (...args: readonly string[]): Promise<Finished> =>
  place.run(['migrate', '--from', 'runs.db', '--to', database.url, ...args]);

describe.skipIf(isPostgresMissing)('fullstop migrate', () => {
  it('moves a store to Postgres, where its runs are verified and continue', async () => {
    expect((await onFile('run', 'refund.yaml', '-i', 'age=60', '--run-id', 'asked')).code).toBe(5);
    expect((await onFile('run', 'refund.yaml', '-i', 'age=120', '--run-id', 'refused')).code).toBe(1);
    const head = JSON.parse((await onFile('verify', 'refused', '--json')).stdout) as { readonly head: string };
    const slow = place.start(['run', 'slow.yaml', '--run-id', 'slow'], { FULLSTOP_STORE: 'runs.db' });
    await slow.says('nap');
    const busy = await migrate();
    expect(busy).toMatchObject({ code: 2, stderr: expect.stringContaining('1 run is being executed: slow') });
    const waiting = place.start(['migrate', '--from', 'runs.db', '--to', database.url, '--wait']);
    slow.child.kill('SIGKILL');
    await slow.finished;
    const moved = await waiting.finished;
    expect(moved).toMatchObject({ code: 0, stderr: expect.stringContaining('Moved 3 runs') });
    expect((await onServer('verify', '--all')).stdout).toContain('3 runs, 0 broken');
    const proved = await onServer('verify', 'refused', '--head', head.head);
    expect(proved.stdout).toContain('proved');
    const answered = await onServer('answer', 'asked', '--choose', 'approve');
    expect(answered.stderr).not.toContain('error');
    expect((await onServer('why', 'asked')).code).toBe(0);
    const again = await migrate();
    // One of them has continued there meanwhile; what was moved is the beginning of it.
    expect(again.stderr).toContain('3 were there already');
  });

  it('refuses changes of the old store with the address of the new one, until it is reopened', async () => {
    await onFile('run', 'loop.yaml', '--run-id', 'looped');
    expect((await migrate()).code).toBe(0);
    const refused = await onFile('run', 'loop.yaml', '--run-id', 'late');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('STORE_MOVED');
    expect((await onFile('worker', '--until-idle')).stderr).toContain('STORE_MOVED');
    expect((await onFile('why', 'looped')).code).not.toBe(2);
    expect(await migrate()).toMatchObject({ code: 0, stderr: expect.stringContaining('1 was there already') });
    const elsewhere = await place.run(['migrate', '--from', 'runs.db', '--to', 'other.db']);
    expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringContaining('was moved to postgres://') });
    expect((await place.run(['migrate', '--from', 'runs.db', '--reopen', '--yes'])).code).toBe(0);
    expect((await onFile('run', 'loop.yaml', '--run-id', 'late')).stderr).not.toContain('STORE_MOVED');
    const [{ count } = { count: 0 }] = await ask<{ count: number }>(
      database.url,
      "SELECT count(*)::int AS count FROM fullstop.runs WHERE run_id = 'looped'",
    );
    expect(count).toBe(1);
  });

  it('leaves the old store as it was where the new one does not answer', async () => {
    await onFile('run', 'loop.yaml', '--run-id', 'looped');
    const failed = await place.run(['migrate', '--from', 'runs.db', '--to', 'postgres://ann:secret@127.0.0.1:1/runs']);
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).not.toContain('secret');
    expect((await onFile('run', 'loop.yaml', '--run-id', 'next')).stderr).not.toContain('STORE_MOVED');
    const same = await place.run(['migrate', '--from', 'runs.db', '--to', './runs.db']);
    expect(same).toMatchObject({ code: 2, stderr: expect.stringContaining('the same store') });
  });
});
