import { describe, expect, it } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import { terminations } from '../../termination/terminations.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun } from '../define-run.js';
import { verifyJournal } from '../journal/verify-journal.js';
import { sweepAbandoned } from './sweep.js';

const hour = 3_600_000;
const olderThanMs = 1000;

const job = defineRun({
  name: 'job',
  onEnding: ['ops'],
  run: async (context) => {
    await context.step('first', () => 1);
    await context.step('second', () => 2);
    return terminations.naturalEnd();
  },
});

/** A run of an hour ago whose process died after its first step: a journal without an ending. */
async function orphan(engine: Engine, runId: string, entries = 2): Promise<void> {
  const source = memoryEngine({ clock: { ...engine.clock, now: () => Date.now() - hour } });
  await job.run(undefined, { engine: source, runId });
  await engine.importRun((await source.journal(runId)).slice(0, entries));
}

describe('sweepAbandoned', () => {
  it('ends a run that its owner orphaned, through the one writer', async () => {
    const engine = memoryEngine();
    await orphan(engine, 'r');
    const before = await engine.summary('r');
    const endings = await sweepAbandoned(engine, [job], { olderThanMs });
    const lastSeenAt = new Date(before?.updatedAt ?? 0).toISOString();
    expect(endings).toMatchObject([
      {
        runId: 'r',
        segment: 1,
        termination: { kind: 'abandoned', lastSeenAt },
        category: 'retryable',
        open: true,
        persisted: true,
      },
    ]);
    expect((await engine.ending('r'))?.termination.kind).toBe('abandoned');
    expect(await verifyJournal(await engine.journal('r'))).toMatchObject({ verdict: 'consistent' });
    expect((await engine.dueNotices()).map(({ id }) => id)).toEqual(['r:1:ops']);
  });

  it('leaves it resumable', async () => {
    const engine = memoryEngine();
    await orphan(engine, 'r');
    await sweepAbandoned(engine, [job], { olderThanMs });
    expect((await job.resume('r', { engine })).termination.kind).toBe('natural_end');
  });

  it('names the worker where the engine knows it', async () => {
    const source = memoryEngine();
    await orphan(source, 'r');
    const engine: Engine = {
      ...source,
      list: async (filter) => {
        const page = await source.list(filter);
        return { ...page, runs: page.runs.map((run) => ({ ...run, worker: 'w1' })) };
      },
    };
    const [ending] = await sweepAbandoned(engine, undefined, { olderThanMs });
    expect(ending?.termination).toMatchObject({ kind: 'abandoned', worker: 'w1' });
    expect(await source.dueNotices()).toEqual([]);
  });

  it('touches nothing that is at work, waits, has not begun, is young, or is unknown to the definitions', async () => {
    const engine = memoryEngine();
    await orphan(engine, 'not begun', 1);
    await orphan(engine, 'other');
    const asking = defineRun({
      name: 'asking',
      run: async (context) => (await context.wait({ id: 'q', type: 'input' })) && terminations.naturalEnd(),
    });
    await asking.run(undefined, { engine, runId: 'waits' });
    const busy = defineRun({
      name: 'busy',
      run: async (context) => (await context.sleep('s', 50)) ?? terminations.naturalEnd(),
    });
    const working = busy.run(undefined, { engine, runId: 'at work' });
    expect(await sweepAbandoned(engine, [asking, busy], { olderThanMs })).toEqual([]);
    expect(await sweepAbandoned(engine, undefined, { olderThanMs: 2 * hour })).toEqual([]);
    // Time is the subject: the run must be older than a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const endings = await sweepAbandoned(engine, undefined, { olderThanMs: 1 });
    expect(endings.map(({ runId }) => runId)).toEqual(['other']);
    expect((await working).termination.kind).toBe('natural_end');
    await expect.poll(async () => (await engine.summary('not begun'))?.state).toBe('ready');
    expect((await job.run(undefined, { engine, runId: 'not begun' })).termination.kind).toBe('natural_end');
  });

  it('gives a run that slept the same time from its alarm on', async () => {
    const engine = memoryEngine();
    const source = memoryEngine({ clock: { ...engine.clock, now: () => Date.now() - hour } });
    const sleeper = defineRun({
      name: 'job',
      run: async (context) => (await context.sleep('s', hour - 5000)) ?? terminations.naturalEnd(),
    });
    await sleeper.run(undefined, { engine: source, runId: 'r' });
    await engine.importRun((await source.journal('r')).slice(0, 2));
    expect(await sweepAbandoned(engine, undefined, { olderThanMs: 60_000 })).toEqual([]);
    await expect.poll(async () => (await engine.summary('r'))?.state).toBe('ready');
    expect(await sweepAbandoned(engine, undefined, { olderThanMs: 1000 })).toHaveLength(1);
  });

  it('goes through all pages', async () => {
    const engine = memoryEngine();
    for (let index = 0; index < 250; index += 1) await orphan(engine, `r${index}`);
    expect(await sweepAbandoned(engine, undefined, { olderThanMs })).toHaveLength(250);
  });

  it('applies a deadline that passed while nobody worked, and leaves those alone that have time', async () => {
    const clock = simulatedClock(undefined, { auto: false });
    const engine = memoryEngine({ clock });
    const asking = defineRun<{ readonly deadline?: number }, ReturnType<typeof terminations.naturalEnd>>({
      name: 'asking',
      run: async (context, input) => {
        await context.wait({ id: 'q', type: 'gate', ...input });
        return terminations.naturalEnd();
      },
    });
    const deadline = clock.now() + 1000;
    await asking.run({ deadline }, { engine, runId: 'late' });
    await asking.run({ deadline: deadline + 10 * olderThanMs }, { engine, runId: 'early' });
    await asking.run({}, { engine, runId: 'never' });
    await clock.advance(2 * olderThanMs + 1000);
    expect(await sweepAbandoned(engine, undefined, { olderThanMs })).toEqual([]);
    const endings = await sweepAbandoned(engine, [asking], { olderThanMs });
    expect(endings).toMatchObject([{ runId: 'late', segment: 2, termination: { kind: 'gate_expired', gateId: 'q' } }]);
    const [expired] = await engine.journal('late', { types: ['request_expired'] });
    expect(expired?.at).toBe(deadline);
    for (const runId of ['early', 'never']) expect((await engine.ending(runId))?.termination.kind).toBe('gate_pending');
  });

  it('refuses an age that would take runs from their owners', async () => {
    for (const age of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5' as never])
      await expect(sweepAbandoned(memoryEngine(), undefined, { olderThanMs: age })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
      });
  });
});
