import { end } from '../../run/ending/body-result.js';
import type { RunContext } from '../../run/run-context.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent } from '../check.js';
import { randomFaults } from '../fault-plan.js';
import { seededRandom } from '../seeded-random.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeUntilLost, startOnly, type World } from './world.js';

async function mismatch(world: World): Promise<void> {
  const body = (first: string) =>
    world.define({
      name: 'changed',
      run: async (context) => {
        await context.step(first, world.effect(first, 1));
        await context.wait({ id: 'go', type: 'input' });
        await context.step('last', world.effect('last', 2));
        return terminations.naturalEnd();
      },
    });
  await body('alpha').run(undefined, { engine: world.engine, runId: 'changed' });
  const changed = await body('beta').resume('changed', {
    engine: world.engine,
    answers: { go: { decision: 'value' } },
  });
  const { error, origin } = checkKind(changed.termination, 'failed');
  checkEqual([error.code, origin], ['REPLAY_MISMATCH', 'engine'], 'code and origin');
  check(error.message.includes('"alpha"') && error.message.includes('"beta"'), `both keys are named: ${error.message}`);
  check(changed.open, 'the ending is open');
  checkEqual(world.done, ['alpha'], 'the effects of the changed body');
  const result = await body('alpha').resume('changed', { engine: world.engine });
  checkKind(result.termination, 'natural_end');
  checkEqual(world.done, ['alpha', 'last'], 'the effects');
}

async function recordedOnce(world: World): Promise<void> {
  const run = world.define({
    name: 'recorded',
    run: async (context) => {
      const verdicts: unknown[] = [];
      for (let index = 0; index < 3; index += 1) {
        await context.step(`step ${index}`, () => index);
        verdicts.push(await context.record(`goal ${index}`, world.effect(`goal ${index}`, { met: index === 2 })));
      }
      const failure = await context.record('throws', () => Promise.reject(new Error('bad'))).catch(String);
      world.done.push('pause');
      await context.wait({ id: 'go', type: 'input' });
      return end(terminations.naturalEnd(), { verdicts, failure });
    },
  });
  await run.run(undefined, { engine: world.engine, runId: 'recorded' });
  const engine = await world.restart();
  const result = await run.resume('recorded', { engine, answers: { go: { decision: 'value' } } });
  const verdicts = [{ met: false }, { met: false }, { met: true }];
  checkEqual(result.output, { verdicts, failure: 'StepFailed: bad' }, 'the output');
  const asked = world.done.filter((name) => name.startsWith('goal'));
  checkEqual(asked, ['goal 0', 'goal 1', 'goal 2'], 'how often the callbacks were asked');
}

async function recordedBeforeCrash(world: World): Promise<void> {
  const run = world.define({
    name: 'judged',
    run: async (context) => {
      await context.record('verdict', world.effect('verdict', true));
      await context.step('act', () => 1);
      await context.step('lost', () => 2);
      return terminations.naturalEnd();
    },
  });
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', nth: 2 });
  await startOnly(engine, run, 'judged');
  await executeUntilLost(engine, run, 'judged');
  await executeUntilLost(engine, run, 'judged');
  checkKind(checkPresent(await engine.ending('judged'), 'the ending').termination, 'natural_end');
  checkEqual(world.times('verdict'), 1, 'how often a callback was asked whose answer shared a commit');
}

/** Writes down what the bodies of units see, so that their executions can be compared. */
class Traces {
  readonly #byScope = new Map<string, unknown[][]>();

  begin(context: RunContext): unknown[] {
    const trace: unknown[] = [];
    this.#byScope.set(context.scope, [...(this.#byScope.get(context.scope) ?? []), trace]);
    return trace;
  }

  /** Every execution must have seen the beginning of what the longest has seen. */
  checkAlike(): void {
    for (const [scope, traces] of this.#byScope) {
      const longest = traces.reduce((left, right) => (right.length > left.length ? right : left));
      for (const trace of traces)
        checkEqual(trace, longest.slice(0, trace.length), `what an execution of "${scope}" has seen`);
    }
    check((this.#byScope.get('')?.length ?? 0) > 1, 'the body was never replayed');
  }
}

/** Several branches at once in one scope, units with branches of their own, and a race. */
async function tangled(context: RunContext, world: World, traces: Traces, seed: number): Promise<unknown[]> {
  const random = seededRandom(seed);
  const delay = (): number => Math.floor(random() * 50);
  const branch = async (name: string, inner: RunContext, trace: unknown[]): Promise<void> => {
    for (let index = 0; index < 3; index += 1) {
      await inner.step(`${name} ${index}`, () => world.clock.sleep(delay()));
      trace.push([name, index, inner.now(), inner.uuid()]);
    }
    await inner.sleep(`${name} sleep`, delay());
    trace.push([name, inner.now(), inner.uuid()]);
  };
  const unit = (name: string): Promise<unknown> =>
    context.child(name, async (inner) => {
      const trace = traces.begin(inner);
      await Promise.all([branch('left', inner, trace), branch('right', inner, trace)]);
      return terminations.naturalEnd();
    });
  const own = traces.begin(context);
  await Promise.all([branch('first', context, own), unit('unit'), branch('second', context, own), unit('unit')]);
  const winner = await Promise.race([
    context.sleep('timeout', delay()).then(() => 'timeout'),
    context.step('contest', () => world.clock.sleep(delay())).then(() => 'contest'),
  ]);
  own.push([winner, context.now(), context.uuid()]);
  return own;
}

async function sameOnReplay(world: World): Promise<void> {
  for (let seed = 1; seed <= 8; seed += 1) {
    const traces = new Traces();
    const runId = `tangled-${seed}`;
    const run = world.define({
      name: 'tangled',
      run: async (context) => {
        const trace = await tangled(context, world, traces, seed);
        await context.wait({ id: 'go', type: 'input' });
        trace.push(context.now(), context.uuid());
        return terminations.naturalEnd();
      },
    });
    const paused = await run.run(undefined, { engine: world.engine, runId });
    checkKind(paused.termination, 'interaction_pending');
    const ended = await run.resume(runId, { engine: world.engine, answers: { go: { decision: 'value' } } });
    checkKind(ended.termination, 'natural_end');
    traces.checkAlike();
  }
}

/** The last thing that a body saw may be lost in a crash and differ later; but nothing that it did from there on was kept. */
async function throughCrashes(world: World): Promise<void> {
  for (let seed = 1; seed <= 12; seed += 1) {
    const runId = `crashing-${seed}`;
    const run = world.define({
      name: 'crashing',
      run: async (context) => {
        await tangled(context, world, new Traces(), seed);
        return terminations.naturalEnd();
      },
    });
    const engine = world.faulty(...randomFaults(seed, { count: 4, within: 15 }));
    await startOnly(engine, run, runId);
    for (let tries = 0; tries < 6; tries += 1) {
      await executeUntilLost(engine, run, runId);
      if ((await engine.ending(runId)) !== undefined) break;
    }
    checkKind(checkPresent(await engine.ending(runId), `the ending of ${runId}`).termination, 'natural_end');
    check(engine.struck.length > 0, 'no fault has struck');
  }
}

export const replayCases: readonly ConformanceCase[] = [
  conformanceCase(
    'ends as open REPLAY_MISMATCH with both keys when the code has changed, and continues with the right code',
    mismatch,
  ),
  conformanceCase('asks a recorded callback once, and keeps its error too', recordedOnce),
  conformanceCase(
    'does not ask a callback again after a crash when something later was committed',
    recordedBeforeCrash,
  ),
  conformanceCase('shows concurrent branches the same order, times and ids on replay', sameOnReplay),
  conformanceCase('reaches its end through crashes at random moments', throughCrashes),
];
