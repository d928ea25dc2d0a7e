import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import { openEngine } from '../../engines/sqlite/engine.fixture.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun } from '../define-run.js';
import { end } from '../ending/body-result.js';
import { verifyJournal } from '../journal/verify-journal.js';
import { activeRuns } from './active-runs.js';
import { handleSignals, type SignalHandling, type SignalOptions } from './process-signals.js';
import { SleepingRun } from './sleeping-run.js';

class FakeProcess extends EventEmitter {
  exitCode: number | undefined;

  exit(code: number): void {
    this.exitCode = code;
  }
}

/** A memory engine that says it is durable, so that its runs are parked. */
const durable = (): Engine => ({ ...memoryEngine(), durable: true });
const handlings: SignalHandling[] = [];
afterEach(() => {
  for (const handling of handlings.splice(0)) handling.dispose();
});

function setUp(engine: Engine, options: Partial<SignalOptions> = {}) {
  const process = new FakeProcess();
  const handling = handleSignals({
    policy: 'cancel',
    graceMs: 1000,
    runs: () => activeRuns(engine),
    process,
    ...options,
  });
  handlings.push(handling);
  return { process, handling };
}

describe('policy cancel', () => {
  it('ends running segments as cancelled by the signal, with their undo steps, and journals it', async () => {
    const engine = memoryEngine();
    const undone: string[] = [];
    let registered = 0;
    const sleeper = defineRun({
      name: 'sleeper',
      run: async (context) => {
        context.onCancel('undo', () => undone.push('undo'));
        registered += 1;
        await context.sleep('long', 100_000);
        return terminations.naturalEnd();
      },
    });
    const { process, handling } = setUp(engine);
    const results = Promise.all(['a', 'b'].map((runId) => sleeper.run(undefined, { engine, runId })));
    await expect.poll(() => registered).toBe(2);
    process.emit('SIGTERM', 'SIGTERM', 15);
    const report = await handling.stopped;
    expect(report).toMatchObject({ signal: 'SIGTERM', parked: [], unfinished: [] });
    expect(report.ended.map(({ runId }) => runId)).toEqual(['a', 'b']);
    const [first] = await results;
    expect(first?.termination).toEqual({ kind: 'cancelled', by: 'signal', reason: 'SIGTERM' });
    expect(undone).toEqual(['undo', 'undo']);
    const journal = await engine.journal('a');
    expect(journal.map(({ type }) => type)).toContain('cancel_requested');
    expect(await verifyJournal(journal)).toMatchObject({ verdict: 'consistent' });
    expect(activeRuns(engine)).toEqual([]);
  });

  it('stops a body that does not listen when the grace is over', async () => {
    const engine = memoryEngine();
    const deaf = defineRun({
      name: 'deaf',
      graceMs: 60_000,
      run: async (context) => context.step('hang', () => new Promise<never>(() => undefined)),
    });
    const { process, handling } = setUp(engine, { graceMs: 20 });
    const result = deaf.run(undefined, { engine });
    await expect.poll(() => activeRuns(engine).length).toBe(1);
    process.emit('SIGHUP');
    expect((await handling.stopped).ended).toHaveLength(1);
    expect((await result).termination).toEqual({ kind: 'cancelled', by: 'signal', reason: 'SIGHUP' });
  });

  it('stops the worker first, and the runs that it executes', async () => {
    const engine = memoryEngine();
    const sleeper = defineRun({
      name: 'sleeper',
      run: async (context) => end(terminations.naturalEnd(), await context.sleep('long', 100_000)),
    });
    const worker = engine.worker([sleeper]);
    for (const runId of ['a', 'b']) await engine.start({ runId, name: 'sleeper', version: '1' });
    await expect.poll(() => activeRuns(engine).length).toBe(2);
    const { process, handling } = setUp(engine, { worker });
    process.emit('SIGINT');
    expect((await handling.stopped).ended.map(({ termination }) => termination.kind)).toEqual([
      'cancelled',
      'cancelled',
    ]);
    await engine.start({ runId: 'c', name: 'sleeper', version: '1' });
    expect((await engine.summary('c'))?.state).toBe('ready');
  });

  it('has nothing to do without runs', async () => {
    const { process, handling } = setUp(memoryEngine());
    process.emit('SIGTERM');
    expect(await handling.stopped).toEqual({ signal: 'SIGTERM', ended: [], parked: [], unfinished: [] });
  });
});

describe('a run that is only being started', () => {
  /** An engine that holds up every start until it is let go. */
  function slowStart() {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const inner = openEngine();
    const engine: Engine = { ...inner, start: (request) => held.then(() => inner.start(request)) };
    return { engine, letGo };
  }
  const job = defineRun({
    name: 'job',
    run: async (context) => {
      await context.step('work', () => 1);
      return terminations.naturalEnd();
    },
  });
  const cancelled = { kind: 'cancelled', by: 'signal', reason: 'SIGTERM' };

  it('ends as cancelled, and has begun nothing', async () => {
    const { engine, letGo } = slowStart();
    const { process, handling } = setUp(engine);
    const running = job.run(undefined, { engine, runId: 'r' });
    await expect.poll(() => activeRuns(engine).length).toBe(1);
    process.emit('SIGTERM');
    letGo();
    expect(await handling.stopped).toMatchObject({ ended: [{ runId: 'r' }], parked: [], unfinished: [] });
    expect((await running).termination).toEqual(cancelled);
    expect(await engine.journal('r', { types: ['step_ended'] })).toEqual([]);
    expect(activeRuns(engine)).toEqual([]);
  });

  it('ends as cancelled even when it is asked for after the signal', async () => {
    const engine = openEngine();
    const process = new FakeProcess();
    // All runs of this process: those that other tests left open may be among them.
    const handling = handleSignals({ policy: 'cancel', graceMs: 20, process });
    handlings.push(handling);
    process.emit('SIGTERM');
    expect(await handling.stopped).toMatchObject({ signal: 'SIGTERM' });
    expect((await job.run(undefined, { engine })).termination).toEqual(cancelled);
    handling.dispose();
    expect((await job.run(undefined, { engine })).termination.kind).toBe('natural_end');
  });

  it('is left to others where runs are parked', async () => {
    const { engine, letGo } = slowStart();
    const { process, handling } = setUp(engine, { policy: 'park' });
    void job.run(undefined, { engine, runId: 'r' });
    await expect.poll(() => activeRuns(engine).length).toBe(1);
    process.emit('SIGTERM');
    expect(await handling.stopped).toEqual({ signal: 'SIGTERM', ended: [], parked: ['r'], unfinished: [] });
    letGo();
    await expect.poll(async () => (await engine.summary('r'))?.state).toBe('ready');
    expect(await engine.journal('r', { types: ['step_ended'] })).toEqual([]);
  });

  it('is not in the list any more when its store refuses it', async () => {
    const engine: Engine = { ...openEngine(), start: () => Promise.reject(new Error('no')) };
    await expect(job.run(undefined, { engine })).rejects.toThrow('no');
    expect(activeRuns(engine)).toEqual([]);
  });
});

describe('a run that sleeps in its store', () => {
  async function asleep(policy: SignalOptions['policy']) {
    const engine = openEngine();
    const undone: string[] = [];
    const sleeper = defineRun({
      name: 'sleeper',
      run: async (context) => {
        context.onCancel('undo', () => undone.push('undo'));
        await context.sleep('long', 100_000);
        return terminations.naturalEnd();
      },
    });
    const { process, handling } = setUp(engine, { policy, graceMs: 10_000 });
    const running = sleeper.run(undefined, { engine, runId: 'r' });
    await expect.poll(() => activeRuns(engine)[0]).toBeInstanceOf(SleepingRun);
    process.emit('SIGTERM');
    return { engine, undone, running, report: await handling.stopped };
  }

  it('ends as cancelled, with its undo steps, where that is the policy', async () => {
    const { engine, undone, running, report } = await asleep('cancel');
    expect(report).toMatchObject({ ended: [{ runId: 'r' }], parked: [], unfinished: [] });
    expect((await running).termination).toEqual({ kind: 'cancelled', by: 'signal', reason: 'SIGTERM' });
    expect(undone).toEqual(['undo']);
    expect(activeRuns(engine)).toEqual([]);
  });

  it('sleeps on for others where runs are parked', async () => {
    const { engine, undone, report } = await asleep('park');
    expect(report).toEqual({ signal: 'SIGTERM', ended: [], parked: ['r'], unfinished: [] });
    expect(await engine.ending('r')).toBeUndefined();
    expect(undone).toEqual([]);
  });
});

describe('policy park', () => {
  const steps: string[] = [];
  let finish: (value: string) => void = () => undefined;
  const worker = defineRun({
    name: 'worker',
    run: async (context) => {
      await context.step('first', () => steps.push('first'));
      await context.step('second', () => {
        steps.push('second');
        return new Promise<string>((resolve) => {
          finish = resolve;
        });
      });
      await context.step('third', () => steps.push('third'));
      return terminations.naturalEnd();
    },
  });

  it('lets the step under way finish, begins no other, and leaves the run to others', async () => {
    const engine = durable();
    steps.length = 0;
    const { process, handling } = setUp(engine, { policy: 'park' });
    const result = worker.run(undefined, { engine, runId: 'r' });
    await expect.poll(() => steps.length).toBe(2);
    process.emit('SIGTERM');
    finish('done');
    expect(await handling.stopped).toEqual({ signal: 'SIGTERM', ended: [], parked: ['r'], unfinished: [] });
    expect(steps).toEqual(['first', 'second']);
    await expect.poll(async () => (await engine.summary('r'))?.state).toBe('ready');
    const released = (await engine.journal('r')).at(-2);
    expect([released?.type, released?.key]).toContain('released');
    const other = engine.worker([worker]);
    expect((await result).termination.kind).toBe('natural_end');
    await other.stop();
    expect(steps).toEqual(['first', 'second', 'third']);
    expect(await verifyJournal(await engine.journal('r'))).toMatchObject({ verdict: 'consistent' });
  });

  it('does not wait for a step longer than the grace: it is done again', async () => {
    const engine = durable();
    steps.length = 0;
    const { process, handling } = setUp(engine, { policy: 'park', graceMs: 20 });
    const result = worker.run(undefined, { engine, runId: 'r' });
    await expect.poll(() => steps.length).toBe(2);
    process.emit('SIGTERM');
    expect((await handling.stopped).parked).toEqual(['r']);
    const other = engine.worker([worker]);
    await expect.poll(() => steps.length).toBe(3);
    finish('done');
    expect((await result).termination.kind).toBe('natural_end');
    await other.stop();
    expect(steps).toEqual(['first', 'second', 'second', 'third']);
  });

  it('cancels where nobody could take the run up', async () => {
    const engine = memoryEngine();
    steps.length = 0;
    const { process, handling } = setUp(engine, { policy: 'park', graceMs: 20 });
    const result = worker.run(undefined, { engine, runId: 'r' });
    await expect.poll(() => steps.length).toBe(2);
    process.emit('SIGTERM');
    expect((await handling.stopped).ended).toHaveLength(1);
    expect((await result).termination.kind).toBe('cancelled');
  });

  it.each(['cancel', 'park'] as const)('works between the executions of alwaysReplay too (%s)', async (policy) => {
    const engine = durable();
    const { process, handling } = setUp(engine, { policy });
    const endless = defineRun({
      name: 'endless',
      run: async (context) => {
        for (;;) await context.step('s', () => 1);
      },
    });
    void endless.run(undefined, { engine, runId: 'r', alwaysReplay: true });
    await expect.poll(async () => (await engine.journal('r')).length).toBeGreaterThan(5);
    process.emit('SIGTERM');
    const report = await handling.stopped;
    expect(report.unfinished).toEqual([]);
    expect(policy === 'park' ? report.parked : report.ended).toHaveLength(1);
  });
});

describe('time to finish', () => {
  const release: (() => void)[] = [];
  const slow = defineRun({
    name: 'slow',
    run: async (context, steps: number) => {
      for (let step = 1; step <= steps; step += 1)
        await context.step(`step ${step}`, () => new Promise<void>((resolve) => release.push(resolve)));
      return terminations.naturalEnd();
    },
  });

  it('lets runs reach an ending of their own, and claims no others', async () => {
    const engine = openEngine();
    const worker = engine.worker([slow], { concurrency: 1 });
    for (const runId of ['a', 'b']) await engine.start({ runId, name: 'slow', version: '1', input: 2 });
    const { process, handling } = setUp(engine, { policy: 'park', finishMs: 100_000, worker });
    await expect.poll(() => release.length).toBe(1);
    process.emit('SIGTERM');
    release.shift()?.();
    await expect.poll(() => release.length).toBe(1);
    release.shift()?.();
    const [first, second] = (await engine.list()).runs.map(({ runId }) => runId).sort();
    const report = await handling.stopped;
    expect(report).toMatchObject({ signal: 'SIGTERM', parked: [], unfinished: [] });
    expect(report.ended.map(({ runId, termination }) => [runId, termination.kind])).toEqual([[first, 'natural_end']]);
    expect(await engine.summary(second as string)).toMatchObject({ state: 'ready' });
  });

  it('parks what has not ended by then, after the step under way', async () => {
    const engine = openEngine();
    const clock = simulatedClock(0, { auto: false });
    const { process, handling } = setUp(engine, { policy: 'park', finishMs: 1000, graceMs: 1000, clock });
    void slow.run(2, { engine, runId: 'r' });
    await expect.poll(() => release.length).toBe(1);
    process.emit('SIGTERM');
    await clock.advance(1000);
    release.shift()?.();
    expect(await handling.stopped).toEqual({ signal: 'SIGTERM', ended: [], parked: ['r'], unfinished: [] });
    expect(await engine.journal('r', { types: ['step_ended'] })).toHaveLength(1);
    expect(release).toEqual([]);
  });

  it('is refused where it is no time', () => {
    expect(() => handleSignals({ policy: 'park', finishMs: -1 })).toThrow('handleSignals: finishMs is');
  });
});

describe('handlers', () => {
  it('let a second SIGINT exit at once, and only that', () => {
    const { process } = setUp(memoryEngine());
    process.emit('SIGTERM');
    process.emit('SIGTERM');
    expect(process.exitCode).toBeUndefined();
    process.emit('SIGINT');
    expect(process.exitCode).toBe(130);
  });

  it('leave the way out to the caller', () => {
    let exits = 0;
    const { process } = setUp(memoryEngine(), { exit: () => (exits += 1) });
    process.emit('SIGINT');
    process.emit('SIGINT');
    expect([exits, process.exitCode]).toEqual([1, undefined]);
  });

  it('refuse a grace that is no time', () => {
    for (const graceMs of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => handleSignals({ policy: 'cancel', graceMs })).toThrow('handleSignals: graceMs is');
  });

  it('go away on dispose', () => {
    const { process, handling } = setUp(memoryEngine());
    expect(process.listenerCount('SIGINT')).toBe(1);
    handling.dispose();
    expect(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => process.listenerCount(signal))).toEqual([0, 0, 0]);
  });
});
