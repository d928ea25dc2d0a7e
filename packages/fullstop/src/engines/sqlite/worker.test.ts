import { describe, expect, it } from 'vitest';
import type { RunnableDefinition, RunSession } from '../port/engine.js';
import {
  eventually,
  handClock,
  openEngine,
  pausedOn,
  requestOpened,
  segmentEnded,
  startAndClaim,
  temporaryFile,
} from './engine.fixture.js';

function definition(execute: (session: RunSession) => Promise<void>): RunnableDefinition {
  return { name: 'test', version: '1', execute };
}

const endAtOnce = definition(async (session) => {
  await session.conclude(segmentEnded(session), []);
});

describe('a worker', () => {
  it('executes the runs that it knows, up to its concurrency', async () => {
    const engine = openEngine();
    let now = 0;
    let most = 0;
    const counted = definition(async (session) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await session.conclude(segmentEnded(session), []);
      now -= 1;
    });
    engine.worker([counted], { concurrency: 3 });
    await engine.start({ runId: 'other-version', name: 'test', version: '2' });
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    await Promise.all(ids.map((runId) => engine.start({ runId, name: 'test', version: '1' })));
    await Promise.all(ids.map((runId) => engine.waitForEnding(runId, 1)));
    expect(most).toBe(3);
    expect(await engine.summary('other-version')).toMatchObject({ state: 'ready' });
  });

  it('takes what another engine on the file starts, which waits for the ending', async () => {
    const file = temporaryFile();
    const [one, other] = [openEngine(file), openEngine(file)];
    one.worker([endAtOnce]);
    await other.start({ runId: 'run', name: 'test', version: '1' });
    const ending = await other.waitForEnding('run', 1);
    expect(ending).toMatchObject({ segment: 1, persisted: true, headHash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await other.verify('run', ending.headHash)).toEqual({ status: 'proved', entries: 2, seq: 2 });
  });

  it('wakes paused runs at their deadline and on answers, without holding them meanwhile', async () => {
    const clock = handClock();
    const engine = openEngine(undefined, { clock });
    const causes: string[] = [];
    const asking = definition(async (session) => {
      const last = session.history.at(-1);
      if (last?.type === 'segment_opened') {
        causes.push(last.data.because);
        await session.conclude(segmentEnded(session), []);
        return;
      }
      const deadline = clock.now() + 1000;
      session.append(requestOpened({ id: 'ok', type: 'approval', deadline }));
      await session.conclude(segmentEnded(session, pausedOn('ok', deadline)), []);
    });
    engine.worker([asking], { concurrency: 1 });
    for (const runId of ['one', 'two']) await engine.start({ runId, name: 'test', version: '1' });
    await Promise.all(['one', 'two'].map((runId) => engine.waitForEnding(runId, 1)));
    await engine.answer('one', 'ok', { decision: 'approve' });
    await engine.waitForEnding('one', 2);
    clock.advance(1000);
    await engine.waitForEnding('two', 2);
    expect(causes).toEqual(['answer', 'expiry']);
  });

  it('lets others continue when it is stopped, and fences what it left unfinished', async () => {
    const file = temporaryFile();
    const [one, other] = [openEngine(file), openEngine(file)];
    let fenced = false;
    let begun = false;
    const stuck = definition(
      (session) =>
        new Promise<void>((resolve) => {
          begun = true;
          session.onFenced(() => {
            fenced = true;
            resolve();
          });
        }),
    );
    const worker = one.worker([stuck]);
    await one.start({ runId: 'run', name: 'test', version: '1' });
    await eventually(() => begun);
    await worker.stop(10);
    expect(fenced).toBe(true);
    expect(await one.summary('run')).toMatchObject({ state: 'ready' });
    other.worker([endAtOnce]);
    expect((await one.waitForEnding('run', 1)).termination.kind).toBe('natural_end');
  });

  it('waits for what it executes when it is stopped', async () => {
    const engine = openEngine();
    let ended = false;
    const slow = definition(async (session) => {
      // Still at work when the worker is stopped; if not, the test holds too.
      await new Promise((resolve) => setTimeout(resolve, 50));
      await session.conclude(segmentEnded(session), []);
      ended = true;
    });
    const worker = engine.worker([slow]);
    await engine.start({ runId: 'run', name: 'test', version: '1' });
    await eventually(async () => (await engine.summary('run'))?.state === 'running');
    await worker.stop(5000);
    expect(ended).toBe(true);
    await engine.start({ runId: 'later', name: 'test', version: '1' });
    expect(await engine.summary('later')).toMatchObject({ state: 'ready' });
  });

  it('releases a run whose execution throws, and counts it as a death', async () => {
    const engine = openEngine();
    const recoveries: number[] = [];
    const throwing = definition(async (session) => {
      recoveries.push(session.recoveries);
      if (session.recoveries < 3) throw new Error('no');
      await session.conclude(segmentEnded(session), []);
    });
    engine.worker([throwing]);
    await engine.start({ runId: 'run', name: 'test', version: '1' });
    await engine.waitForEnding('run', 1);
    expect(recoveries).toEqual([0, 1, 2, 3]);
  });
});

describe('waiting', () => {
  it('can be given up, and ends when the engine is closed or there is no such run', async () => {
    const engine = openEngine();
    await expect(engine.waitForEnding('nothing', 1)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await startAndClaim(engine, 'run');
    const controller = new AbortController();
    const given = engine.waitForEnding('run', 1, controller.signal);
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    const pending = engine.waitForEnding('run', 1);
    const closed = expect(pending).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await engine.close();
    await closed;
    await expect(engine.summary('run')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  it('finds a run ready again after its engine was closed', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await startAndClaim(engine, 'run');
    await engine.close();
    const session = await openEngine(file).claim('run', 'w');
    expect(session?.recoveries).toBe(0);
  });
});
