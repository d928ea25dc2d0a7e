import type { RunLimits } from '../../run/limits.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkRefused } from '../check.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeUntilLost, startOnly, type World } from './world.js';

/** A run of ten steps, the last five of them in a unit with a limit of its own. */
function counter(world: World, limits: RunLimits, unitLimits: RunLimits = {}) {
  return world.define({
    name: 'counter',
    limits,
    run: async (context) => {
      for (let index = 0; index < 5; index += 1) await context.step(`outer ${index}`, world.effect('outer', 1));
      const unit = await context.child(
        'unit',
        async (inner) => {
          for (let index = 0; index < 5; index += 1) await inner.step(`inner ${index}`, world.effect('inner', 1));
          return terminations.naturalEnd();
        },
        { limits: unitLimits },
      );
      if (unit.termination.kind === 'natural_end') return terminations.flowCompleted({ last: 'unit' });
      return terminations.childFailed({ child: { name: 'unit', path: 'unit' }, termination: unit.termination });
    },
  });
}

async function twoAtOnce(world: World): Promise<void> {
  const { engine } = world;
  const run = counter(world, { steps: 3 });
  await run.run(undefined, { engine, runId: 'c' });
  const attempts = await Promise.allSettled(
    ['ann', 'bob'].map((by) => run.resume('c', { engine, by, limits: { steps: 100 } })),
  );
  const won = attempts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const lost = attempts.flatMap((each) =>
    each.status === 'rejected' ? [each.reason as Error & { code?: string }] : [],
  );
  checkEqual([won.length, lost.length], [1, 1], 'one wins, the other loses');
  checkEqual([won[0]?.termination.kind, won[0]?.segment], ['flow_completed', 2], 'ending and segment of the winner');
  checkEqual(lost[0]?.code, 'RESUME_CONFLICT', 'the code of the refusal');
  const opened = (await world.journal('c')).filter((entry) => entry.type === 'segment_opened');
  const winner = checkOne(opened.map(({ data }) => data.by ?? ''));
  check(lost[0]?.message.includes(winner) === true, `the refusal names ${winner}: ${lost[0]?.message}`);
  checkEqual(world.done.length, 10, 'the effects');
}

function checkOne(names: readonly string[]): string {
  checkEqual(names.length, 1, 'the segments that were opened');
  return names[0] ?? '';
}

async function whileRunning(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = world.define({
    name: 'slow',
    run: async (context) => {
      await context.step('slow', () => clock.sleep(1000));
      return terminations.naturalEnd();
    },
  });
  const running = run.run(undefined, { engine, runId: 'slow' });
  await clock.advance(10);
  await checkRefused(run.resume('slow', { engine }), 'RESUME_CONFLICT');
  checkKind((await running).termination, 'natural_end');
  await checkRefused(run.resume('slow', { engine }), 'RUN_CLOSED');
  await checkRefused(run.resume('nobody', { engine }), 'RUN_NOT_FOUND');
}

/** A caller who is late learns who opened the next segment. */
async function whileResumed(world: World): Promise<void> {
  const { engine, clock } = world;
  const run = world.define({
    name: 'asked',
    run: async (context) => {
      await context.wait({ id: 'ok', type: 'input' });
      await context.step('slow', () => clock.sleep(1000));
      return terminations.naturalEnd();
    },
  });
  await run.run(undefined, { engine, runId: 'asked' });
  const answers = { ok: { decision: 'value' } } as const;
  const winner = run.resume('asked', { engine, by: 'ann', answers });
  await clock.advance(10);
  const lost = await checkRefused(run.resume('asked', { engine, by: 'bob', answers }), 'RESUME_CONFLICT');
  checkEqual(
    lost.message,
    'The run asked was resumed by ann first (segment 2 is still running).',
    'the refusal of the later caller',
  );
  checkKind((await winner).termination, 'natural_end');
}

/** A run whose owner died is continued by whoever resumes it. */
async function afterDeath(world: World): Promise<void> {
  const run = counter(world, {});
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', nth: 4 });
  await startOnly(engine, run, 'c');
  await executeUntilLost(engine, run, 'c');
  const result = await run.resume('c', { engine });
  checkEqual([result.termination.kind, result.segment], ['flow_completed', 1], 'ending and segment');
}

async function changedLimits(world: World): Promise<void> {
  const { engine } = world;
  const run = counter(world, { steps: 3 });
  const stopped = await run.run(undefined, { engine, runId: 'c' });
  checkEqual(stopped.termination, { kind: 'max_iterations', limit: 3, used: 3, unit: 'step' }, 'the ending');
  checkEqual(stopped.resumable, { how: 'raise_limit' }, 'how it continues');
  const before = (await world.journal('c')).length;
  for (const limits of [undefined, {}, { steps: 3 }, { steps: 2 }, { tokens: 5 }]) {
    await checkRefused(run.resume('c', { engine, ...(limits && { limits }) }), 'LIMIT_UNCHANGED');
  }
  await checkRefused(run.resume('c', { engine, limits: { steps: 0 } }), 'INVALID_LIMIT');
  checkEqual((await world.journal('c')).length, before, 'the entries after refused resumes');
  const more = await run.resume('c', { engine, limits: { steps: 6 } });
  checkEqual(more.termination, { kind: 'max_iterations', limit: 6, used: 6, unit: 'step' }, 'a limit is the total');
  checkEqual(world.done.length, 6, 'the effects');
  await world.restart();
  const free = await run.resume('c', { engine: world.engine, limits: { steps: null } });
  checkEqual([free.termination.kind, free.segment], ['flow_completed', 3], 'a limit that was taken away');
  checkEqual(world.done.length, 10, 'the effects');
}

/** A unit that was stopped by the limit of its parent continues where it was, too. */
async function stoppedUnitContinues(world: World): Promise<void> {
  const { engine } = world;
  const run = counter(world, { steps: 7 });
  const stopped = await run.run(undefined, { engine, runId: 'c' });
  checkEqual(stopped.termination, { kind: 'max_iterations', limit: 7, used: 7, unit: 'step' }, 'the ending');
  const result = await run.resume('c', { engine, limits: { steps: 20 } });
  checkKind(result.termination, 'flow_completed');
  checkEqual([world.times('outer'), world.times('inner')], [5, 5], 'the effects');
}

async function addedLimits(world: World): Promise<void> {
  const { engine } = world;
  const run = counter(world, { steps: 3 });
  await run.run(undefined, { engine, runId: 'tighter' });
  const tighter = await run.resume('tighter', { engine, limits: { steps: 100, timeMs: 1e9 } });
  checkKind(tighter.termination, 'flow_completed');
  await run.run(undefined, { engine, runId: 'added' });
  await checkRefused(run.resume('added', { engine, limits: { steps: 6 }, at: 'nowhere' }), 'INVALID_OPTION');
  const added = await run.resume('added', { engine, limits: { steps: 6 }, at: '' });
  checkKind(added.termination, 'max_iterations');
}

async function nestedPath(world: World): Promise<void> {
  const { engine } = world;
  const run = counter(world, {}, { steps: 2 });
  const stopped = await run.run(undefined, { engine, runId: 'c' });
  checkEqual(checkKind(stopped.termination, 'child_failed').termination.kind, 'max_iterations', 'the cause');
  await checkRefused(run.resume('c', { engine }), 'LIMIT_UNCHANGED');
  const more = await run.resume('c', { engine, limits: { steps: 4 } });
  checkEqual(
    checkKind(more.termination, 'child_failed').termination,
    { kind: 'max_iterations', limit: 4, used: 4, unit: 'step' },
    'the limit of the unit that ended',
  );
  const tighter = await run.resume('c', { engine, limits: { steps: 9 }, at: '' });
  checkEqual(
    checkKind(tighter.termination, 'child_failed').termination.kind,
    'max_iterations',
    'a limit at another path does not help',
  );
  const done = await run.resume('c', { engine, limits: { steps: 50 }, at: 'unit' });
  checkEqual(
    done.termination,
    { kind: 'max_iterations', limit: 9, used: 9, unit: 'step' },
    'the limit that was added at the run',
  );
  const all = await run.resume('c', { engine, limits: { steps: null } });
  checkKind(all.termination, 'flow_completed');
  checkEqual([world.times('outer'), world.times('inner')], [5, 5], 'the effects');
}

async function retriesTheFailedStep(world: World): Promise<void> {
  const { engine } = world;
  let broken = true;
  const run = world.define({
    name: 'flaky',
    run: async (context) => {
      const handled = await context.step('handled', () => Promise.reject(new Error('known'))).catch(() => 'handled');
      await context.step('fine', world.effect('fine', handled));
      await context.step('call', () => {
        world.done.push('call');
        if (broken) throw Object.assign(new Error('down'), { code: 'ETIMEDOUT' });
      });
      await context.step('last', world.effect('last', 1));
      return terminations.naturalEnd();
    },
  });
  const failed = await run.run(undefined, { engine, runId: 'flaky' });
  checkEqual([failed.category, failed.resumable], ['retryable', { how: 'resume' }], 'category and how it continues');
  checkEqual((await run.resume('flaky', { engine })).termination.kind, 'failed', 'it fails again');
  broken = false;
  checkKind((await run.resume('flaky', { engine })).termination, 'natural_end');
  checkEqual(
    world.done,
    ['fine', 'call', 'call', 'call', 'last'],
    'the effects: only the step that it ended with is tried again',
  );
}

async function identity(world: World): Promise<void> {
  const { engine } = world;
  const define = (version: string) =>
    world.define<{ readonly n: number }>({
      name: 'versioned',
      version,
      run: async (context) => {
        await context.wait({ id: 'ok', type: 'input' });
        return terminations.naturalEnd();
      },
    });
  await define('1').run({ n: 1 }, { engine, runId: 'v' });
  const mismatch = await checkRefused(define('2').resume('v', { engine }), 'INVALID_OPTION');
  check(
    mismatch.message.includes('version 1') && mismatch.message.includes('version 2'),
    `both versions are named: ${mismatch.message}`,
  );
  await checkRefused(define('2').run({ n: 1 }, { engine, runId: 'v' }), 'RUN_ID_CONFLICT');
  await checkRefused(define('1').run({ n: 2 }, { engine, runId: 'v' }), 'RUN_ID_CONFLICT');
  const joined = await define('1').run({ n: 1 }, { engine, runId: 'v' });
  checkEqual(
    [joined.termination.kind, joined.segment],
    ['interaction_pending', 1],
    'a start with the same id and input',
  );
  checkEqual(
    await engine.start({ runId: 'v', name: 'versioned', version: '1', input: { n: 1 } }),
    'exists',
    'the receipt',
  );
  checkEqual(
    await engine.start({ runId: 'w', name: 'versioned', version: '1', input: { n: 1 } }),
    'started',
    'the receipt of a new one',
  );
}

export const resumeCases: readonly ConformanceCase[] = [
  conformanceCase('lets one of two resumes win and names it to the other', twoAtOnce),
  conformanceCase('names whoever opened the next segment to a later caller', whileResumed),
  conformanceCase('refuses to resume what runs, is closed or unknown', whileRunning),
  conformanceCase('continues a run whose owner died when it is resumed', afterDeath),
  conformanceCase('resumes with larger limits and without, and refuses unchanged ones', changedLimits),
  conformanceCase('continues inside a unit that was stopped by the limit of the run', stoppedUnitContinues),
  conformanceCase('applies limits that a resume adds', addedLimits),
  conformanceCase('changes the limits of the unit that ended, or of the one that is named', nestedPath),
  conformanceCase('tries the step again that a run failed with, and no other', retriesTheFailedStep),
  conformanceCase('refuses another version, another input and another name', identity),
];
