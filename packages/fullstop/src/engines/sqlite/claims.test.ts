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
  takeOver,
  temporaryFile,
} from './engine.fixture.js';
import { lifeOf, ownMark } from './liveness.js';
import type { SqliteEngine } from './options.js';

/** The time of a lease, in looks of which each is long enough to count. */
const lease = [2000, 2000, 2000, 2000, 2000];

/** Claims after each of these times; what the last one came to. */
async function claimAfter(
  engine: SqliteEngine,
  clock: { advance(milliseconds: number): void },
  times: readonly number[],
): Promise<RunSession | undefined> {
  let session: RunSession | undefined;
  for (const milliseconds of times) {
    clock.advance(milliseconds);
    session = await engine.claim('run', 'w');
  }
  return session;
}

describe('a claim', () => {
  it('is given once', async () => {
    const file = temporaryFile();
    const [one, other] = [openEngine(file), openEngine(file)];
    await startAndClaim(one, 'run');
    expect(await one.claim('run', 'w')).toBeUndefined();
    expect(await other.claim('run', 'w')).toBeUndefined();
    expect(await other.claim('nothing', 'w')).toBeUndefined();
  });

  it('is shown with the last sign of life of its owner, once that is older than the lease by the stored time', async () => {
    const file = temporaryFile();
    const [ownClock, clock] = [handClock(), handClock()];
    const owner = openEngine(file, { clock: ownClock, leaseMs: 600_000 });
    const seenAt = clock.now();
    await startAndClaim(owner, 'run');
    // Each look is of a reader that has seen nothing before.
    const look = async (): Promise<unknown> => {
      const reader = openEngine(file, { clock, readOnly: true });
      const { state, orphaned, silentSince } = (await reader.list()).runs[0] ?? {};
      expect(await reader.summary('run')).toMatchObject({ state, ...(silentSince !== undefined && { silentSince }) });
      await reader.close();
      return { state, orphaned, silentSince };
    };
    expect(await look()).toEqual({ state: 'running' });
    clock.advance(600_000);
    expect(await look()).toEqual({ state: 'running' });
    clock.advance(1);
    // Its process lives: nobody says that it is gone.
    expect(await look()).toEqual({ state: 'running', silentSince: seenAt });
  });

  it('passes to another process when the lease has run out, and fences the first', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const [one, other] = [openEngine(file, { clock, leaseMs: 10_000 }), openEngine(file, { clock })];
    const first = await startAndClaim(one, 'run');
    first.append(stepEnded(1));
    await first.flush();
    // It counts what it has seen itself, so the first look begins the count.
    expect(await claimAfter(other, clock, [0, 2000, 2000, 2000, 2000, 1999])).toBeUndefined();
    clock.advance(1);
    const second = await claimed(other, 'run');
    expect(second.recoveries).toBe(1);
    expect(second.lostOwners).toMatchObject([{ how: 'silent', process: expect.stringContaining(`${process.pid}`) }]);
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
    const raw = rawDatabase(file);
    const beat = (): number => Number(raw.prepare('SELECT beat FROM workers').all()[0]?.['beat']);
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await claimAfter(other, clock, [0, 39])).toBeUndefined();
      const before = beat();
      await eventually(() => beat() > before);
    }
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
    const next = (): Promise<RunSession> => takeOver(openEngine(file, { clock }), 'run', clock);
    const take = async (): Promise<number> => (await next()).recoveries;
    const first = openEngine(file, { clock });
    await startAndClaim(first, 'run');
    expect([await take(), await take(), await take()]).toEqual([1, 2, 3]);
    const alive = await next();
    expect([alive.recoveries, alive.lostOwners?.length]).toEqual([4, 4]);
    alive.append(stepEnded(1));
    await alive.flush();
    const last = await next();
    expect([last.recoveries, last.lostOwners?.length]).toEqual([1, 1]);
  });

  it('is not taken by one who was frozen as well, and has seen nothing meanwhile', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const [one, other] = [openEngine(file, { clock }), openEngine(file, { clock })];
    await startAndClaim(one, 'run');
    expect(await claimAfter(other, clock, [0, 3_600_000])).toBeUndefined();
    expect(await claimAfter(other, clock, [2000, 2000, 2000])).toBeUndefined();
    expect(await claimAfter(other, clock, [2000])).toBeDefined();
  });

  it('holds for the time of the lease, and is renewed by whoever asks later', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const [one, other] = [openEngine(file, { clock }), openEngine(file, { clock })];
    const session = await startAndClaim(one, 'run');
    clock.advance(8_999);
    expect(session.hold?.()).toBeUndefined();
    clock.advance(1);
    await session.hold?.();
    expect(session.hold?.()).toBeUndefined();
    expect(await claimAfter(other, clock, [0, ...lease])).toBeDefined();
    await expect(session.hold?.()).rejects.toThrow(FencedError);
  });

  it('is not believed in again because the process has claimed another run', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const [one, other] = [openEngine(file, { clock }), openEngine(file, { clock })];
    const session = await startAndClaim(one, 'run');
    expect(await claimAfter(other, clock, [0, ...lease])).toBeDefined();
    const [second, third] = [await startAndClaim(one, 'second'), await startAndClaim(one, 'third')];
    await expect(session.hold?.()).rejects.toThrow(FencedError);
    for (const held of [second, third]) expect(await held.hold?.()).toBeUndefined();
  });

  it('of a run that was lost and claimed again here does not count for the execution that lost it', async () => {
    const file = temporaryFile();
    const clock = handClock();
    const [one, other] = [openEngine(file, { clock }), openEngine(file, { clock })];
    const session = await startAndClaim(one, 'run');
    expect(await claimAfter(other, clock, [0, ...lease])).toBeDefined();
    await other.close();
    const again = await one.claim('run', 'w');
    await expect(session.hold?.()).rejects.toThrow(FencedError);
    expect(await again?.hold?.()).toBeUndefined();
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
