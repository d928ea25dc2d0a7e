import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FencedError, type RunSession } from '../port/engine.js';
import {
  claimed,
  eventually,
  handClock,
  openEngine,
  pausedOn,
  rawDatabase,
  requestOpened,
  segmentEnded,
  startAndClaim,
  stepEnded,
  temporaryFile,
} from './engine.fixture.js';
import { lifeOf, ownMark } from './liveness.js';

describe('a claim', () => {
  it('is given once', async () => {
    const file = temporaryFile();
    const [one, other] = [openEngine(file), openEngine(file)];
    await startAndClaim(one, 'run');
    expect(await one.claim('run', 'w')).toBeUndefined();
    expect(await other.claim('run', 'w')).toBeUndefined();
    expect(await other.claim('nothing', 'w')).toBeUndefined();
  });

  it('passes to another process when the lease has run out, and fences the first', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const [one, other] = [openEngine(file, { clock, leaseMs: 10_000 }), openEngine(file, { clock })];
    const first = await startAndClaim(one, 'run');
    first.append(stepEnded(1));
    await first.flush();
    clock.advance(9_999);
    expect(await other.claim('run', 'w')).toBeUndefined();
    clock.advance(1);
    const second = await claimed(other, 'run');
    expect(second.recoveries).toBe(1);
    expect(second.history.map(({ type }) => type)).toEqual(['run_started', 'step_ended']);
    first.append(stepEnded(2));
    await expect(first.flush()).rejects.toThrow(FencedError);
    second.append(stepEnded(2));
    await second.flush();
    expect(await other.verify('run')).toEqual({ status: 'consistent', entries: 3 });
  });

  it('is kept by heartbeats, and lost ones are noticed by them', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const [one, other] = [openEngine(file, { clock, leaseMs: 40 }), openEngine(file, { clock })];
    const session = await startAndClaim(one, 'run');
    clock.advance(39);
    const raw = rawDatabase(file);
    await eventually(
      () => raw.prepare('SELECT lease_until AS until FROM workers').all()[0]?.['until'] === clock.now() + 40,
    );
    clock.advance(39);
    expect(await other.claim('run', 'w')).toBeUndefined();
    let fenced = false;
    session.onFenced(() => {
      fenced = true;
    });
    raw.exec('UPDATE runs SET epoch = epoch + 1');
    await eventually(() => fenced);
  });

  it('counts how often owners died since the last entry', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const take = async (): Promise<number> => {
      clock.advance(20_000);
      const session = await claimed(openEngine(file, { clock }), 'run');
      return session.recoveries;
    };
    const first = openEngine(file, { clock });
    await startAndClaim(first, 'run');
    expect([await take(), await take(), await take()]).toEqual([1, 2, 3]);
    clock.advance(20_000);
    const alive = await claimed(openEngine(file, { clock }), 'run');
    expect(alive.recoveries).toBe(4);
    alive.append(stepEnded(1));
    await alive.flush();
    expect(await take()).toBe(1);
  });

  it('opens the next segment of a paused run whose deadline has passed', async () => {
    const clock = handClock();
    const engine = openEngine(undefined, { clock });
    const session = await startAndClaim(engine, 'run');
    const deadline = clock.now() + 1000;
    session.append(requestOpened({ id: 'ok', type: 'approval', deadline }));
    await session.conclude(segmentEnded(session, pausedOn('ok', deadline)), []);
    expect(await engine.summary('run')).toMatchObject({ state: 'parked', kind: 'interaction_pending' });
    expect(await engine.claim('run', 'w')).toBeUndefined();
    clock.advance(1000);
    expect(await engine.answer('run', 'ok', { decision: 'approve' })).toEqual({ status: 'expired', deadline });
    const next = await claimed(engine, 'run');
    expect(next.segment).toBe(2);
    expect(next.history.at(-1)).toMatchObject({ type: 'segment_opened', data: { from: 1, because: 'expiry' } });
    expect(await engine.ending('run')).toBeUndefined();
  });

  it('waits for the time at which a sleeping run wants to be woken', async () => {
    const clock = handClock();
    const engine = openEngine(undefined, { clock });
    const session = await startAndClaim(engine, 'run');
    session.append(stepEnded(1));
    await session.park(clock.now() + 500);
    expect(await engine.summary('run')).toMatchObject({ state: 'parked' });
    expect(await engine.journal('run')).toHaveLength(2);
    let ready = false;
    const waited = engine.waitUntilReady('run').then(() => {
      ready = true;
    });
    expect(await engine.claim('run', 'w')).toBeUndefined();
    expect(ready).toBe(false);
    clock.advance(500);
    await waited;
    expect((await claimed(engine, 'run')).segment).toBe(1);
  });
});

describe('the process of an owner', () => {
  it('is known by its number and the time of its start', () => {
    const own = ownMark();
    expect(lifeOf(own)).toBe('alive');
    expect(lifeOf({ ...own, startedAt: `${Number(own.startedAt || '1') + 1}` })).toBe('dead');
    expect(lifeOf({ ...own, space: 'another-boot pid:[1]' })).toBe('dead');
    expect(lifeOf({ ...own, host: 'another-machine' })).toBe('unknown');
    expect(lifeOf({ ...own, startedAt: '' })).toBe('alive');
  });

  it('is dead once it is killed, even before its parent has noticed', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    const pid = child.pid as number;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] as string;
    const mark = { ...ownMark(), pid, startedAt };
    expect(lifeOf(mark)).toBe('alive');
    child.kill('SIGKILL');
    await eventually(() => lifeOf(mark) === 'dead');
    expect(lifeOf({ ...mark, startedAt: '' })).toBeDefined();
  });
});

describe('damage', () => {
  it('is found when a run is claimed, and the run is left alone', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const session = await startAndClaim(engine, 'run');
    for (const ordinal of [1, 2, 3]) session.append(stepEnded(ordinal));
    await session.flush();
    await session.park(undefined);
    await engine.cancel('run', { by: 'operator' });
    const raw = rawDatabase(file);
    raw.exec("DROP TRIGGER journal_fixed; UPDATE journal SET data = replace(data, 'value 2', 'value X')");
    await expect(engine.claim('run', 'w')).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining('entry 3'),
    });
    expect(await engine.verify('run')).toEqual({ status: 'broken', seq: 3, reason: 'entry 3 does not fit its hash' });
    const executed: string[] = [];
    const execute = async ({ identity }: RunSession): Promise<void> => {
      executed.push(identity.runId);
    };
    const worker = engine.worker([{ name: 'test', version: '1', execute }]);
    // The broken run is older: a worker that came to this one has passed it.
    await engine.start({ runId: 'sound', name: 'test', version: '1' });
    await eventually(() => executed.includes('sound'));
    await worker.stop();
    expect(new Set(executed)).toEqual(new Set(['sound']));
  });
});
