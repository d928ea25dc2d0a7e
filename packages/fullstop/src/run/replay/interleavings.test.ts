import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { isTermination } from '../../termination/terminations.js';
import { checkJournal } from '../../testing/check-journal.js';
import type { Fault } from '../../testing/fault-plan.js';
import { type FaultyEngine, faultyEngine } from '../../testing/faulty-engine.js';
import { type SimulatedClock, simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun, type RunDefinition } from '../define-run.js';
import type { RunLimits } from '../limits.js';
import { arbitraryProgram, type Performance, type Program, performProgram } from '../random-body.fixture.js';

/** Something that happens to a run from outside. */
type Event =
  | { readonly type: 'answer'; readonly at: number }
  | { readonly type: 'cancel'; readonly at: number; readonly hard: boolean }
  | { readonly type: 'crash'; readonly at: number }
  | { readonly type: 'fence'; readonly at: number };

const at = fc.nat({ max: 150 });
const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('answer' as const), at }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel' as const), at, hard: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('crash' as const, 'fence' as const), at }) },
  ),
  { maxLength: 4 },
);
const faults: fc.Arbitrary<readonly Fault[]> = fc.array(
  fc.record({
    point: fc.constantFrom('append', 'flush', 'conclude', 'park'),
    effect: fc.constantFrom('crash', 'crash_after', 'fence', 'fail', 'delay'),
    nth: fc.integer({ min: 1, max: 12 }),
  }) as fc.Arbitrary<Fault>,
  { maxLength: 2 },
);
const limits: fc.Arbitrary<RunLimits> = fc.record(
  { steps: fc.integer({ min: 1, max: 8 }), timeMs: fc.integer({ min: 1, max: 200 }) },
  { requiredKeys: [] },
) as fc.Arbitrary<RunLimits>;

type AnyRun = RunDefinition<undefined, never, never>;

function define(
  program: Program,
  performance: Performance,
  more: { limits?: RunLimits; alwaysReplay?: boolean } = {},
): AnyRun {
  return defineRun({
    name: 'random',
    graceMs: 100,
    ...more,
    run: (context) => performProgram(context, program, performance),
  }) as unknown as AnyRun;
}

async function answerAll(engine: Engine): Promise<void> {
  for (const { id } of await engine.openRequests('r'))
    await engine.answer('r', id, { decision: 'approve', by: 'someone' });
}

/** Lets events happen at their times; gives the times at which a wish to cancel was accepted. */
function schedule(engine: FaultyEngine, clock: SimulatedClock, happenings: readonly Event[]): readonly number[] {
  const cancelled: number[] = [];
  const start = clock.now();
  for (const event of happenings) {
    clock.callAt(start + event.at, () => {
      if (event.type === 'answer') void answerAll(engine);
      else if (event.type === 'crash') engine.crash('r');
      else if (event.type === 'fence') engine.fence('r');
      else {
        void engine.cancel('r', { by: 'operator', hard: event.hard }).then((receipt) => {
          if (receipt === 'requested') cancelled.push(clock.now());
        });
      }
    });
  }
  return cancelled;
}

/** Opens the next segment behind an open ending, without the limits that may have stood in the way. */
async function reopen(engine: FaultyEngine, after: number): Promise<void> {
  const limits = { '': { steps: null, timeMs: null } };
  await engine.reopen({ runId: 'r', after, because: 'resume', options: { limits } });
}

/** Executes a run as workers would, owner after owner, until it has an ending that nobody answers or resumes. */
async function toTheEnd(engine: FaultyEngine, run: AnyRun, clock: SimulatedClock, resumes = 0): Promise<Envelope> {
  let left = resumes;
  for (let turn = 0; turn < 200; turn += 1) {
    const session = await engine.claim('r', `worker ${turn}`);
    if (session !== undefined) {
      await Promise.race([run.execute(session, engine), engine.lost('r')]);
      continue;
    }
    const ending = await engine.ending('r');
    if (ending !== undefined && ending.category !== 'paused') {
      if (!ending.open || left === 0) return ending;
      left -= 1;
      await reopen(engine, ending.segment);
      continue;
    }
    await clock.sleep(20);
    // An owner that could not even let go of the run counts as gone in the end.
    if (turn === 150) engine.crash('r');
    if (turn > 20) await answerAll(engine);
  }
  throw new Error('the run comes to no end');
}

interface Scene {
  readonly program: Program;
  readonly happenings: readonly Event[];
  readonly planned: readonly Fault[];
  readonly bounds: RunLimits;
  readonly alwaysReplay: boolean;
  /** How often an open ending is resumed. */
  readonly resumes: number;
}

const scene: fc.Arbitrary<Scene> = fc.record({
  program: arbitraryProgram,
  happenings: events,
  planned: faults,
  bounds: limits,
  alwaysReplay: fc.boolean(),
  resumes: fc.nat({ max: 3 }),
});

async function play({ program, happenings, planned, bounds, alwaysReplay, resumes }: Scene) {
  const clock = simulatedClock();
  const engine = faultyEngine(memoryEngine({ clock }), planned);
  const performance: Performance = { clock, performed: [] };
  const run = define(program, performance, { limits: bounds, alwaysReplay });
  await engine.start({ runId: 'r', name: 'random', version: '1' });
  const cancelled = schedule(engine, clock, happenings);
  const ending = await toTheEnd(engine, run, clock, resumes);
  return { engine, ending, cancelled, performance };
}

describe('for any interleaving of results, throws, cancels, timeouts, answers and crashes', () => {
  test('a run reaches exactly one valid ending for each segment', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (given) => {
        const { engine, ending } = await play(given);
        expect(isTermination(ending.termination)).toBe(true);
        await checkJournal(engine, 'r');
        expect(JSON.stringify(await engine.journal('r'))).not.toContain('REPLAY_MISMATCH');
      }),
      { numRuns: 400 },
    );
  }, 300_000);

  test('a once-step is performed at most once', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (given) => {
        const { engine, performance } = await play(given);
        const started = (await engine.journal('r')).filter(({ type }) => type === 'step_started');
        for (const { scope, key } of started) {
          const place = `${scope}:${key?.replace('step ', '')}`;
          expect(performance.performed.filter((each) => each === place).length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 200 },
    );
  }, 300_000);

  test('a segment that was asked to stop ends as cancelled, whatever else it would have ended as', async () => {
    await fc.assert(
      fc.asyncProperty(scene, async (given) => {
        const { engine, cancelled } = await play(given);
        const entries = await engine.journal('r');
        for (const entry of entries) {
          if (entry.type !== 'cancel_requested') continue;
          const ending = entries.find((each) => each.type === 'segment_ended' && each.segment === entry.segment);
          const { termination } = (ending as Extract<typeof ending, { type: 'segment_ended' }>).data.envelope;
          const byEngine = termination.kind === 'failed' && termination.origin === 'engine';
          expect(byEngine ? 'cancelled' : termination.kind).toBe('cancelled');
        }
        const endings = entries.flatMap((entry) => (entry.type === 'segment_ended' ? [entry.data.envelope] : []));
        const engineFailed = endings.some(
          ({ termination }) => termination.kind === 'failed' && termination.origin === 'engine',
        );
        const heard = engineFailed || entries.some(({ type }) => type === 'cancel_requested');
        // A wish that comes while an ending is being written comes too late.
        const late = cancelled.every((instant) =>
          endings.some(({ endedAt }) => endedAt <= instant && instant <= endedAt + 10),
        );
        expect(heard || late).toBe(true);
      }),
      { numRuns: 200 },
    );
  }, 300_000);
});

describe('for any program', () => {
  test('a run that continues from any part of its journal performs only what is not in it, and ends the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryProgram,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        async (program, part, alwaysReplay) => {
          const clock = simulatedClock();
          const whole = faultyEngine(memoryEngine({ clock }));
          const run = define(program, { clock, performed: [] });
          await whole.start({ runId: 'r', name: 'random', version: '1' });
          const expected = await toTheEnd(whole, run, clock);
          const entries = await whole.journal('r');
          const kept = entries.slice(0, 1 + Math.floor(part * (entries.length - 1)));
          const half = faultyEngine(memoryEngine({ clock }));
          await half.importRun(kept);
          const performance: Performance = { clock, performed: [] };
          const ending = await toTheEnd(half, define(program, performance, { alwaysReplay }), clock);
          await checkJournal(half, 'r');
          expect(ending.termination.kind).not.toBe('indeterminate');
          const done = new Set(
            kept.flatMap(({ type, scope, key }) =>
              type === 'step_ended' ? [`${scope}:${key?.replace('step ', '')}`] : [],
            ),
          );
          const again = performance.performed.filter((place) => done.has(place));
          expect(again).toEqual([]);
          if (!mayDiffer(program)) expect(ending.termination).toMatchObject({ kind: expected.termination.kind });
        },
      ),
      { numRuns: 400 },
    );
  }, 300_000);
});

/** Deadlines, time limits and lost once-steps come out by the clock, which goes on between the two halves of a run. */
function mayDiffer(program: Program): boolean {
  return program.some((operation) => {
    if (operation.do === 'wait') return operation.deadlineMs !== undefined;
    if (operation.do === 'step') return operation.once;
    if (operation.do === 'unit') return operation.timeMs !== undefined || mayDiffer(operation.program);
    return operation.do === 'together' && (operation.programs.length > 1 || operation.programs.some(mayDiffer));
  });
}
