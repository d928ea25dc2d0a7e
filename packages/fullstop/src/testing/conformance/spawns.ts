import { end } from '../../run/ending/body-result.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, type World } from './world.js';

type Kid = ReturnType<World['define']>;

/** A parent that spawns one run and waits for its ending. */
function defineParent(world: World, kid: Kid, limits = {}): Kid {
  return world.define({
    name: 'parent',
    limits,
    run: async (context) => {
      const spawned = await context.spawn(kid, undefined, { runId: 'kid' });
      const { termination } = await spawned.ending();
      return end(terminations.naturalEnd(), { kind: termination.kind, tokens: context.ledger.usage.totalTokens });
    },
  });
}

async function cancelReaches(world: World): Promise<void> {
  const { engine, clock } = world;
  const kid = world.define({
    name: 'sleeper',
    run: async (context) => {
      context.onCancel('undo', world.effect('undone', 1));
      await context.step('hang', ({ signal }) => {
        void clock.sleep(50).then(() => engine.cancel('parent', { by: 'operator', reason: 'enough' }));
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      });
      return terminations.naturalEnd();
    },
  });
  const result = await defineParent(world, kid).run(undefined, { engine, runId: 'parent' });
  checkKind(result.termination, 'cancelled');
  const ending = await engine.waitForEnding('kid', 1);
  checkEqual(
    ending.termination,
    { kind: 'cancelled', by: 'parent', reason: 'enough' },
    'the ending of the spawned run',
  );
  checkEqual(world.done, ['undone'], 'the undo steps');
}

async function budgetsReach(world: World): Promise<void> {
  const { engine } = world;
  const kid = world.define({
    name: 'spender',
    run: async (context) => {
      for (let call = 0; call < 10; call += 1)
        await context.step(`call ${call}`, ({ charge }) => charge({ inputTokens: 100, costUsd: 0 }));
      return terminations.naturalEnd();
    },
  });
  const result = await defineParent(world, kid, { tokens: 350 }).run(undefined, { engine, runId: 'parent' });
  checkEqual(result.output, { kind: 'token_budget', tokens: 400 }, 'its result');
  const ending = checkPresent(await engine.ending('kid'), 'the ending of the spawned run');
  checkEqual(ending.termination, { kind: 'token_budget', limit: 350, used: 400 }, 'the ending of the spawned run');
  checkEqual(result.usage.totalTokens, 400, 'what it used is booked where it was spawned');
}

async function bookedOnce(world: World): Promise<void> {
  const { engine } = world;
  const kid = world.define({
    name: 'spender',
    run: async (context) => {
      await context.step('call', ({ charge }) => charge({ inputTokens: 100, costUsd: 0.5 }));
      return terminations.naturalEnd();
    },
  });
  const parent = world.define({
    name: 'parent',
    run: async (context) => {
      const spawned = await context.spawn(kid, undefined, { runId: 'kid' });
      const [first, second] = [await spawned.ending(), await spawned.ending()];
      return end(terminations.naturalEnd(), [first.usage, second.usage]);
    },
  });
  const result = await parent.run(undefined, { engine, runId: 'parent' });
  const usage = { inputTokens: 100, outputTokens: 0, totalTokens: 100 };
  checkEqual(result.output, [usage, usage], 'what both endings say');
  checkEqual([result.usage, result.costUsd], [usage, 0.5], 'what is booked');
}

/** A spawned run that waits for a person has not ended: its parent waits until it has. */
async function pausedSpawn(world: World): Promise<void> {
  const { engine, clock } = world;
  const asker = world.define({
    name: 'asker',
    run: async (context) => {
      await context.wait({ id: 'ok', type: 'approval' });
      return terminations.naturalEnd();
    },
  });
  const running = defineParent(world, asker).run(undefined, { engine, runId: 'parent' });
  const paused = await engine.waitForEnding('kid', 1).catch(async () => {
    await clock.sleep(10);
    return engine.waitForEnding('kid', 1);
  });
  checkKind(paused.termination, 'interaction_pending');
  await asker.resume('kid', { engine, answers: { ok: { decision: 'approve' } } });
  checkEqual((await running).output, { kind: 'natural_end', tokens: 0 }, 'what the parent saw');
}

async function importedParent(world: World): Promise<void> {
  const { engine, harness } = world;
  const kid = world.define({ name: 'plain', run: async () => terminations.naturalEnd() });
  await defineParent(world, kid).run(undefined, { engine, runId: 'parent' });
  const other = await harness.openEmpty();
  try {
    await other.importRun(await engine.journal('kid'));
    const summary = checkPresent(await other.summary('kid'), 'the imported run');
    check(summary.parent?.runId === 'parent', 'an imported run knows its parent');
  } finally {
    await other.close();
  }
}

export const spawnCases: readonly ConformanceCase[] = [
  conformanceCase('cancels what a cancelled run has spawned', cancelReaches),
  conformanceCase('lets a spawned run use what is left of the budgets, and books what it used', budgetsReach),
  conformanceCase('books what a spawned run used once, however often its ending is asked for', bookedOnce),
  conformanceCase('waits for a spawned run that waits for a person', pausedSpawn),
  conformanceCase('keeps the parent of a spawned run that is imported', importedParent),
];
