import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import type { Engine } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { checkJournal } from '../../testing/check-journal.js';
import type { Fault } from '../../testing/fault-plan.js';
import { type FaultyEngine, faultyEngine } from '../../testing/faulty-engine.js';
import { simulatedClock } from '../../testing/simulated-clock.js';
import { defineRun } from '../define-run.js';
import { drive } from './drive.js';
import { foldJournal, openFold } from './fold-journal.js';
import type { Machine } from './machine.js';
import {
  arbitraryRounds,
  type RandomMember,
  type RandomRound,
  type RandomState,
  randomMachine,
  randomPerformer,
} from './random-machine.fixture.js';

interface Scene {
  readonly rounds: readonly RandomRound[];
  readonly faults: readonly Fault[];
  readonly alwaysReplay: boolean;
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  rounds: arbitraryRounds,
  faults: fc.array(
    fc.record({
      point: fc.constantFrom('append', 'flush'),
      effect: fc.constantFrom('crash', 'crash_after'),
      nth: fc.integer({ min: 1, max: 20 }),
    }) as fc.Arbitrary<Fault>,
    { maxLength: 3 },
  ),
  alwaysReplay: fc.boolean(),
});

const plain: RandomMember = { type: 'step', delayMs: 0, failures: 0, asks: false, asksLater: false, once: false };

/** A once-step that was stopped with its batch stops that batch in a later segment, after what others had reached before. */
const stoppedLater: Scene = {
  rounds: [
    {
      members: [
        { ...plain, type: 'record', delayMs: 2 },
        { ...plain, type: 'unit', delayMs: 1, failures: 2 },
        { ...plain, delayMs: 2, once: true },
        plain,
      ],
      failFast: true,
      continues: false,
      strict: true,
    },
    { members: [plain], failFast: false, continues: false, strict: false },
  ],
  faults: [],
  alwaysReplay: false,
};

/** All of a batch has an outcome, of which one is from before it was resumed; an entry then says that it counted without that one. */
const evaluatedLater: Scene = {
  rounds: [
    { members: [plain], failFast: false, continues: false, strict: false },
    {
      members: [{ ...plain, type: 'unit', failures: 2 }, plain, { ...plain, delayMs: 1, once: true }, plain],
      failFast: true,
      continues: false,
      strict: true,
    },
    { members: [plain], failFast: false, continues: false, strict: false },
  ],
  faults: [],
  alwaysReplay: false,
};

/** Remembers the last state that a machine was asked about. */
function watched<TState, TPlan, TInput>(machine: Machine<TState, TPlan, TInput>, asked: TState[]): typeof machine {
  return {
    ...machine,
    decide(state) {
      asked.push(state);
      return machine.decide(state);
    },
  };
}

async function answerOne(engine: Engine): Promise<void> {
  const [request] = await engine.openRequests('r');
  if (request !== undefined) await engine.answer('r', request.id, { decision: 'approve' });
}

/** Executes the run owner after owner, answering one request at a time and resuming twice, until nothing is left to do. */
async function toTheEnd(engine: FaultyEngine, execute: () => Promise<boolean>): Promise<Envelope> {
  let resumes = 2;
  for (let turn = 0; turn < 100; turn += 1) {
    if (await execute()) continue;
    const ending = await engine.ending('r');
    if (ending?.category === 'paused') await answerOne(engine);
    else if (ending?.open === true && resumes > 0) {
      resumes -= 1;
      await engine.reopen({ runId: 'r', after: ending.segment, because: 'resume' });
    } else if (ending !== undefined) return ending;
  }
  throw new Error('the run reaches no ending');
}

async function perform(
  scene: Scene,
): Promise<{ engine: FaultyEngine; ending: Envelope; asked: readonly RandomState[] }> {
  const clock = simulatedClock();
  const engine = faultyEngine(memoryEngine({ clock }), scene.faults);
  const asked: RandomState[] = [];
  const machine = watched(randomMachine(scene.rounds), asked);
  const performer = randomPerformer((milliseconds) => clock.sleep(milliseconds));
  const run = defineRun({
    name: 'rounds',
    alwaysReplay: scene.alwaysReplay,
    run: (context, input: undefined) => drive({ machine, performer, context, input }),
  });
  await engine.start({ runId: 'r', name: 'rounds', version: '1' });
  const ending = await toTheEnd(engine, async () => {
    const session = await engine.claim('r', 'worker');
    if (session === undefined) return false;
    await Promise.race([run.execute(session, engine), engine.lost('r')]);
    return true;
  });
  return { engine, ending, asked };
}

describe('batches of random machines', () => {
  test('reach one ending, and the fold of the journal the state of the machine', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { engine, ending, asked } = await perform(scene);
        const journal = await engine.journal('r');
        await checkJournal(engine, 'r');
        expect(ending.termination.kind).not.toBe('indeterminate');
        expect(ending.termination).not.toMatchObject({ error: { code: 'REPLAY_MISMATCH' } });
        const folded = foldJournal(randomMachine(scene.rounds), undefined, journal);
        expect(folded).toEqual(asked.at(-1));
      }),
      { numRuns: 150, timeout: 60_000, examples: [[stoppedLater]] },
    );
  }, 600_000);

  test('are folded entry by entry to the states of the journals so far', async () => {
    let continued = 0;
    await fc.assert(
      fc.asyncProperty(scenes, fc.integer({ min: 1, max: 4 }), async (scene, page) => {
        const { engine } = await perform(scene);
        const journal = await engine.journal('r');
        const machine = randomMachine(scene.rounds);
        let fold = openFold(machine, undefined, journal.slice(0, 1));
        for (let from = 1; from < journal.length; from += page) {
          const soFar = journal.slice(0, from + page);
          if (fold.add(soFar.slice(from))) continued += 1;
          else fold = openFold(machine, undefined, soFar);
          expect(fold.state()).toEqual(foldJournal(machine, undefined, soFar));
        }
      }),
      {
        numRuns: 150,
        timeout: 60_000,
        examples: [
          [stoppedLater, 1],
          [evaluatedLater, 1],
        ],
      },
    );
    expect(continued).toBeGreaterThan(150);
  }, 600_000);

  test('are asked about the same states again when they are dropped at every await', async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const { asked } = await perform({ ...scene, alwaysReplay: true });
        const last = asked.at(-1) as RandomState;
        expect(new Set(last.seen.map(({ key }) => key)).size).toBe(last.seen.length);
      }),
      { numRuns: 150, timeout: 60_000 },
    );
  }, 600_000);
});
