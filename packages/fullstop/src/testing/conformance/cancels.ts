import { end } from '../../run/ending/body-result.js';
import { RunCancelled } from '../../run/errors.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeNow, executeUntilLost, startOnly, type World } from './world.js';

const operator = { by: 'operator', reason: 'enough' } as const;
const cancelled = { kind: 'cancelled', ...operator };

/** A run that books two things, can undo them, and then does something long. */
function booking(world: World, long: 'gate' | 'sleep' | 'step') {
  return world.define({
    name: 'booking',
    graceMs: 1000,
    run: async (context) => {
      for (const thing of ['flight', 'hotel']) {
        await context.step(thing, world.effect(thing, 1));
        context.onCancel(`undo ${thing}`, world.effect(`undo ${thing}`, 1));
      }
      if (long === 'sleep') await context.sleep('night', 8 * 3_600_000);
      if (long === 'gate') await context.wait({ id: 'ok', type: 'gate' });
      if (long === 'step') {
        await context.step(
          'stay',
          ({ signal }) =>
            new Promise((_, reject) => {
              world.done.push('stay');
              signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
            }),
        );
      }
      await context.step('leave', world.effect('leave', 1));
      return terminations.naturalEnd();
    },
  });
}

const undone = ['undo hotel', 'undo flight'];

async function inStep(world: World): Promise<void> {
  const { engine, clock } = world;
  const running = booking(world, 'step').run(undefined, { engine, runId: 'b' });
  await clock.advance(100);
  checkEqual(world.done.at(-1), 'stay', 'where it is');
  checkEqual(await engine.cancel('b', operator), 'requested', 'the receipt');
  const result = await running;
  checkEqual(result.termination, cancelled, 'the ending');
  checkEqual(world.done, ['flight', 'hotel', 'stay', ...undone], 'the effects, undone in reverse order');
  checkEqual(
    [result.outcome, result.category, result.open],
    ['cancelled', 'cancelled', true],
    'outcome, category, open',
  );
  check((await world.typesOf('b')).includes('cancel_requested'), 'the wish is in the journal');
}

async function inSleep(world: World): Promise<void> {
  const { engine, clock } = world;
  const running = booking(world, 'sleep').run(undefined, { engine, runId: 'b' });
  await clock.advance(60_000);
  await engine.cancel('b', operator);
  const result = await running;
  checkEqual(result.termination, cancelled, 'the ending');
  checkEqual(world.done, ['flight', 'hotel', ...undone], 'the effects');
}

async function whilePaused(world: World): Promise<void> {
  const run = booking(world, 'gate');
  await run.run(undefined, { engine: world.engine, runId: 'b' });
  const engine = await world.restart();
  checkEqual(await engine.cancel('b', operator), 'requested', 'the receipt');
  await world.restart();
  await executeNow(world.engine, run, 'b');
  const ending = checkPresent(await world.engine.ending('b'), 'the ending');
  checkEqual([ending.termination, ending.segment], [cancelled, 2], 'ending and segment');
  checkEqual(world.done, ['flight', 'hotel', ...undone], 'the effects: nothing but the undo steps');
  const steps = (await world.journal('b')).filter(({ type, segment }) => segment === 2 && type === 'step_ended');
  checkEqual(
    steps.map(({ key }) => key),
    undone,
    'the steps of the second segment',
  );
}

async function whileWaiting(world: World): Promise<void> {
  const { engine, clock } = world;
  const running = booking(world, 'gate').run(undefined, { engine, runId: 'b', onPause: 'wait' });
  await clock.advance(100);
  await engine.cancel('b', operator);
  const result = await running;
  checkEqual([result.termination, result.segment], [cancelled, 1], 'ending and segment');
  checkEqual(world.done, ['flight', 'hotel', ...undone], 'the effects');
}

async function beforeStart(world: World): Promise<void> {
  const { engine } = world;
  const run = booking(world, 'step');
  await startOnly(engine, run, 'b');
  checkEqual(await engine.cancel('b', operator), 'requested', 'the receipt');
  await executeNow(engine, run, 'b');
  checkEqual((await engine.ending('b'))?.termination, cancelled, 'the ending');
  checkEqual(world.done, [], 'the effects');
}

async function afterEnd(world: World): Promise<void> {
  const { engine } = world;
  const run = world.define({ name: 'short', run: async () => terminations.naturalEnd() });
  await run.run(undefined, { engine, runId: 'short' });
  checkEqual(await engine.cancel('short', operator), 'ended', 'the receipt');
  checkEqual(await engine.cancel('nobody', operator), 'unknown', 'the receipt for an unknown run');
  checkKind(checkPresent(await engine.ending('short'), 'the ending').termination, 'natural_end');
}

async function callerSignal(world: World): Promise<void> {
  const { engine, clock } = world;
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    reason: 'user left' as unknown,
    addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
  };
  const running = booking(world, 'step').run(undefined, { engine, signal });
  await clock.advance(100);
  signal.aborted = true;
  for (const listener of listeners) listener();
  checkEqual((await running).termination, { kind: 'cancelled', by: 'caller', reason: 'user left' }, 'the ending');
  checkEqual(listeners.size, 0, 'the listeners that are left');
  const early = await booking(world, 'step').run(undefined, { engine, signal, runId: 'early' });
  checkEqual(
    early.termination,
    { kind: 'cancelled', by: 'caller', reason: 'user left' },
    'the ending of one that never began',
  );
}

/** Killed between two undo steps: those that were journalled are not repeated. */
async function killedWhileUndoing(world: World): Promise<void> {
  const run = booking(world, 'gate');
  await run.run(undefined, { engine: world.engine, runId: 'b' });
  await world.engine.cancel('b', operator);
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', nth: 2 });
  await executeUntilLost(engine, run, 'b');
  checkEqual(await engine.ending('b'), undefined, 'an ending of the killed owner');
  await executeUntilLost(engine, run, 'b');
  checkEqual((await engine.ending('b'))?.termination, cancelled, 'the ending');
  checkEqual(
    [world.times('undo hotel'), world.times('undo flight'), world.times('leave')],
    [1, 2, 0],
    'how often each was done',
  );
}

async function hardCancel(world: World): Promise<void> {
  const { engine, clock } = world;
  const running = booking(world, 'step').run(undefined, { engine, runId: 'b' });
  await clock.advance(100);
  await engine.cancel('b', { ...operator, hard: true });
  checkEqual((await running).termination, cancelled, 'the ending');
  checkEqual(world.done, ['flight', 'hotel', 'stay'], 'the effects: nothing is undone');
}

/** A body that does not listen is given up after the grace, and one undo that fails does not keep the others from it. */
async function stubborn(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = world.define({
    name: 'stubborn',
    graceMs: 500,
    run: async (context) => {
      context.onCancel('first', world.effect('first', 1));
      context.onCancel('broken', () => Promise.reject(new Error('cannot undo')));
      await context.step('deaf', () => new Promise(() => undefined));
      return terminations.naturalEnd();
    },
  });
  const running = run.run(undefined, { engine, runId: 's' });
  await clock.advance(100);
  const at = clock.now();
  await engine.cancel('s', operator);
  const result = await running;
  checkEqual(result.termination, cancelled, 'the ending');
  check(result.endedAt - at <= 500, `it took ${result.endedAt - at} ms, more than the grace`);
  checkEqual(world.done, ['first'], 'what was undone after the grace of the body');
}

async function nothingLost(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = world.define({
    name: 'unwinding',
    run: async (context) => {
      context.onCancel('broken', () => Promise.reject(new Error('cannot undo')));
      try {
        await context.sleep('long', 1e6);
      } catch (error) {
        if (!(error instanceof RunCancelled)) throw error;
        return end(terminations.submitted({ tool: 'draft' }), { partial: 7 });
      }
      return terminations.naturalEnd();
    },
  });
  const running = run.run(undefined, { engine, runId: 'u' });
  await clock.advance(100);
  await engine.cancel('u', operator);
  const { termination, also, output } = await running;
  checkEqual([termination, output], [cancelled, { partial: 7 }], 'ending and partial output');
  checkEqual(
    also.map(({ kind }) => kind),
    ['submitted', 'failed'],
    'what lost against the cancellation',
  );
}

async function resumed(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = booking(world, 'sleep');
  const running = run.run(undefined, { engine, runId: 'b' });
  await clock.advance(60_000);
  await engine.cancel('b', operator);
  await running;
  const result = await run.resume('b', { engine });
  checkKind(result.termination, 'natural_end');
  checkEqual(world.done, ['flight', 'hotel', ...undone, 'leave'], 'the effects');
}

export const cancelCases: readonly ConformanceCase[] = [
  conformanceCase('cancels in a step: aborts the effect, undoes in reverse order and ends', inStep),
  conformanceCase('cancels in a sleep', inSleep),
  conformanceCase('cancels a paused run in a segment with just its undo steps', whilePaused),
  conformanceCase('cancels a run that stays and waits', whileWaiting),
  conformanceCase('cancels before the start without running the body', beforeStart),
  conformanceCase('does not cancel what has ended or is unknown', afterEnd),
  conformanceCase('cancels when the signal of the caller is aborted, before the start too', callerSignal),
  conformanceCase('performs each undo step once, also when killed in between', killedWhileUndoing),
  conformanceCase('stops at once without undo steps when cancelled hard', hardCancel),
  conformanceCase('abandons a body that does not unwind within the grace', stubborn),
  conformanceCase('keeps the result that the body reached while it was cancelled', nothingLost),
  conformanceCase('resumes a cancelled run where it was', resumed),
];
