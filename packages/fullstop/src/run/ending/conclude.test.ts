import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { RunSession } from '../../engines/port/engine.js';
import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { arbitraryTermination } from '../../termination/any-termination.fixture.js';
import { defineTermination } from '../../termination/define-termination.js';
import { isTermination, terminations } from '../../termination/terminations.js';
import { faultyEngine } from '../../testing/faulty-engine.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun } from '../define-run.js';
import type { BodyResult, RunContext } from '../run-context.js';
import type { RunOptions } from '../run-options.js';
import { end } from './body-result.js';

/** A run with this body, on a clock that nobody has to wait for. */
function runWith(body: (context: RunContext) => Promise<unknown>, options: RunOptions & { timeMs?: number } = {}) {
  const { timeMs, ...rest } = options;
  const run = defineRun({
    name: 'subject',
    ...(timeMs !== undefined && { limits: { timeMs } }),
    run: (context) => body(context) as Promise<BodyResult>,
  });
  return run.run(undefined, { engine: memoryEngine({ clock: simulatedClock() }), ...rest });
}

const throwing = (): never => {
  throw new Error('trap');
};

/** Makers of values that nobody should throw or return; some cannot even be looked at, so they are made where they are used. */
const hostile: fc.Arbitrary<() => unknown> = fc.oneof(
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withNullPrototype: true,
    })
    .map((value) => () => value),
  fc.constantFrom<() => unknown>(
    () => Symbol('s'),
    () => throwing,
    () => new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing }),
    revoked,
    () => Object.defineProperty({}, 'kind', { get: throwing }),
    () => Object.defineProperty({ termination: {} }, 'output', { get: throwing, enumerable: true }),
    () => ({ kind: 'natural_end', extra: 1n }),
    () => ({ kind: 'max_iterations', limit: 'many' }),
    () => ({ termination: { kind: 'natural_end' }, also: 'nonsense' }),
    () => ({ termination: { kind: 'natural_end' }, also: [null, { kind: 'nonsense' }] }),
    () => Object.assign(new Error('x'), { cause: 1, message: { not: 'text' } }),
  ),
);

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

async function expectOneEnding(result: Awaited<ReturnType<typeof runWith>>): Promise<void> {
  const entries = await result.journal();
  expect(entries.filter(({ type }) => type === 'segment_ended')).toHaveLength(1);
  expect(entries.at(-1)?.type).toBe('segment_ended');
  expect(isTermination(result.termination)).toBe(true);
  expect(result.also.every(isTermination)).toBe(true);
  expect(result.persisted).toBe(true);
}

describe('conclude', () => {
  test('turns anything that a body throws into exactly one failure', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (make) => {
        const result = await runWith(() => Promise.reject(make()));
        expect(result.termination.kind).toBe('failed');
        await expectOneEnding(result);
      }),
      { numRuns: 300 },
    );
  });

  test('turns anything that a body returns into exactly one valid ending', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (make) => {
        const result = await runWith(async () => make());
        await expectOneEnding(result);
      }),
      { numRuns: 300 },
    );
  });

  test.each([undefined, null, 1, 'done', {}, [], { output: 1 }])(
    'says what was wrong with a body that returned %j',
    async (returned) => {
      const { termination } = await runWith(async () => returned);
      expect(termination).toMatchObject({ kind: 'failed', origin: 'body', error: { code: 'INVALID_RESULT' } });
    },
  );

  test('keeps every valid termination as it is', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTermination, async (termination) => {
        const result = await runWith(async () => termination);
        expect(result.termination).toEqual(termination);
      }),
      { numRuns: 200 },
    );
  });

  test('gives a body that throws before its first await its one ending, in a unit too', async () => {
    const result = await runWith(() => {
      throw new TypeError('at once');
    });
    expect(result.termination).toMatchObject({ kind: 'failed', error: { name: 'TypeError', message: 'at once' } });
    const unit = await runWith(async (context) => {
      const { termination } = await context.child('unit', () => {
        throw new TypeError('at once');
      });
      return end(terminations.naturalEnd(), { kind: termination.kind });
    });
    expect(unit.output).toEqual({ kind: 'failed' });
  });

  test('writes the first of two endings that race', async () => {
    for (const bodyMs of [99, 100, 101]) {
      const clock = simulatedClock();
      const engine = memoryEngine({ clock });
      const result = await runWith(
        async (context) => {
          await context.step('work', () => clock.sleep(bodyMs));
          return terminations.naturalEnd();
        },
        { timeMs: 100, engine, runId: 'race' },
      );
      await expectOneEnding(result);
      expect(result.termination.kind).toBe(bodyMs < 100 ? 'natural_end' : 'time_budget');
      await clock.advance(1000);
      expect(await engine.ending('race')).toMatchObject({ termination: result.termination });
    }
  });

  test('ends a body that never comes back at its time limit', async () => {
    const result = await runWith(() => new Promise(() => undefined), { timeMs: 5000 });
    expect(result.termination).toEqual({ kind: 'time_budget', limitMs: 5000, elapsedMs: 5000, scope: 'run' });
    await expectOneEnding(result);
  });

  test('does not let an observer that throws change the ending', async () => {
    const told: string[] = [];
    const onEntry = (entry: EntryDraft): void => {
      told.push(entry.type);
      throw new Error('observer');
    };
    const result = await runWith(
      async (context) => {
        await context.step('work', () => 1);
        context.emit({ n: 1 });
        return terminations.naturalEnd();
      },
      { onEntry },
    );
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(told).toEqual(['step_ended', 'emitted', 'segment_ended']);
  });

  test('refuses a kind that is not registered, and takes it once it is', async () => {
    const reconciled = defineTermination({
      kind: 'app.reconciled',
      family: 'completion',
      category: 'success',
      schema: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: (value: unknown) => ({ value: value as { findings: number } }),
        },
      },
    });
    const ending = reconciled({ findings: 2 });
    const unknown = await runWith(async () => ending);
    expect(unknown.termination).toMatchObject({ kind: 'failed', error: { code: 'UNREGISTERED_TERMINATION' } });
    const run = defineRun({ name: 'known', terminations: [reconciled], run: async () => ending });
    expect((await run.run(undefined)).termination).toEqual({ kind: 'app.reconciled', findings: 2 });
  });

  test('cuts a termination that is too deep or too large, with a mark', async () => {
    let deep: object = { bottom: true };
    for (let level = 0; level < 500; level += 1) deep = { deep };
    const properties = { deep, large: 'x'.repeat(3_000_000) };
    const result = await runWith(async () => ({ kind: 'custom', reason: 'big', category: 'success', properties }));
    expect(result.termination.kind).toBe('custom');
    expect(JSON.stringify(result.termination).length).toBeLessThan(1_100_000);
    await expectOneEnding(result);
  });

  test('fails with NOT_JSON when the output cannot be journalled', async () => {
    const result = await runWith(async () => end(terminations.naturalEnd(), { a: [{ b: 1n }] }));
    expect(result.termination).toMatchObject({
      kind: 'failed',
      error: { code: 'NOT_JSON', message: expect.stringContaining('a[0].b') },
    });
  });

  test('reaches an ending although the definition of its kind throws', async () => {
    const broken = (): never => {
      throw new Error('broken definition');
    };
    const run = defineRun({
      name: 'broken',
      treatAsSuccess: broken,
      customTags: ['x'],
      run: async () => terminations.naturalEnd(),
    });
    const result = await run.run(undefined);
    expect([result.termination.kind, result.outcome]).toEqual(['natural_end', 'succeeded']);
  });

  test('is no success because treatAsSuccess returned a promise', async () => {
    const run = defineRun({
      name: 'promised',
      treatAsSuccess: (async () => false) as never,
      run: async () => terminations.maxIterations({ limit: 1, used: 1, unit: 'iteration' }),
    });
    expect((await run.run(undefined)).outcome).toBe('failed');
  });

  test('says persisted: false and notifies nobody when the store fails at the very end', async () => {
    const engine = faultyEngine(memoryEngine({ clock: simulatedClock() }), [{ point: 'conclude', effect: 'fail' }]);
    const told: string[] = [];
    const run = defineRun({
      name: 'unlucky',
      onEnding: ['mail'],
      run: async (context) => {
        await context.step('work', () => 1);
        context.emit({ told: 'with the ending or not at all' });
        return terminations.naturalEnd();
      },
    });
    const result = await run.run(undefined, { engine, runId: 'u', onEntry: (entry) => told.push(entry.type) });
    expect([result.termination.kind, result.persisted]).toEqual(['natural_end', false]);
    expect(told).toEqual(['step_ended']);
    expect(await engine.ending('u')).toBeUndefined();
    expect(await engine.dueNotices()).toEqual([]);
  });

  test('lets others take a run whose ending could not be kept', async () => {
    const clock = simulatedClock();
    const engine = faultyEngine(memoryEngine({ clock }), [{ point: 'conclude', effect: 'fail' }]);
    let effects = 0;
    const run = defineRun({
      name: 'unlucky',
      run: async (context) => {
        await context.step('work', () => {
          effects += 1;
        });
        return terminations.naturalEnd();
      },
    });
    await run.run(undefined, { engine, runId: 'u' });
    await clock.advance(1000);
    const again = await run.run(undefined, { engine, runId: 'u' });
    expect([again.termination.kind, again.persisted, effects]).toEqual(['natural_end', true, 1]);
  });

  test('never rejects once a run has started, whatever the store does', async () => {
    for (const point of ['claim', 'ending', 'append', 'flush', 'conclude', 'journal'] as const) {
      const engine = faultyEngine(memoryEngine({ clock: simulatedClock() }), [
        { point, effect: 'fail', error: new Error('disk full') },
      ]);
      const result = await runWith(
        async (context) => {
          await context.step('work', () => 1);
          return terminations.naturalEnd();
        },
        { engine, alwaysReplay: point === 'journal' },
      );
      if (point === 'conclude') continue;
      expect(result.termination).toMatchObject({ kind: 'failed', origin: 'engine', error: { message: 'disk full' } });
    }
  });

  test('rejects when the store fails before the start', async () => {
    const engine = faultyEngine(memoryEngine(), [{ point: 'start', effect: 'fail', error: new Error('disk full') }]);
    await expect(runWith(async () => terminations.naturalEnd(), { engine })).rejects.toThrow('disk full');
  });
});

describe('a worker that was fenced out', () => {
  /** Runs two owners of one run: the first is fenced off at a point, the second finishes. */
  async function twoOwners(point: 'append' | 'conclude' | 'flush'): Promise<void> {
    const engine = faultyEngine(memoryEngine({ clock: simulatedClock() }), [{ point, effect: 'fence' }]);
    let owner = 0;
    const told: string[] = [];
    const run = defineRun({
      name: 'fenced',
      run: async (context) => {
        owner += 1;
        const mine = owner;
        await context.step('work', () => mine);
        return end(terminations.naturalEnd(), { owner: mine });
      },
    });
    const first = run.run(undefined, { engine, runId: 'f', onEntry: (entry) => told.push(entry.type) });
    await engine.lost('f');
    await new Promise((resolve) => setTimeout(resolve, 5));
    await engine.lost('f');
    const session = (await engine.claim('f', 'second')) as RunSession;
    await run.execute(session, engine);
    const result = await first;
    expect([result.output, result.persisted]).toEqual([{ owner: 2 }, true]);
    expect(told).not.toContain('segment_ended');
    expect((await engine.journal('f')).filter(({ type }) => type === 'segment_ended')).toHaveLength(1);
  }

  test.each(['append', 'flush', 'conclude'] as const)('at %s follows the ending of the new owner', (point) =>
    twoOwners(point),
  );
});
