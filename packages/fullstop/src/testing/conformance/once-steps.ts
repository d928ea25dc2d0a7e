import { end } from '../../run/ending/body-result.js';
import { StepFailed } from '../../run/errors.js';
import { terminations } from '../../termination/terminations.js';
import { check, checkEqual, checkKind, checkPresent } from '../check.js';
import type { FaultyEngine } from '../faulty-engine.js';
import type { ConformanceCase } from './conformance-case.js';
import { conformanceCase, executeUntilLost, startOnly, type World } from './world.js';

/** A run that pays once and says what it knows of it. */
function payment(world: World) {
  return world.define({
    name: 'payment',
    run: async (context) => {
      await context.step('prepare', world.effect('prepare', 1));
      try {
        const receipt = await context.step('pay', world.effect('pay', 'receipt'), { once: true });
        return end(terminations.flowCompleted({ last: 'pay' }), { receipt });
      } catch (error) {
        if (!(error instanceof StepFailed)) throw error;
        const { outcomeUnknown, data } = error;
        return end(terminations.flowCompleted({ last: 'pay' }), { outcomeUnknown, code: data.code });
      }
    },
  });
}

/** Executes it until its owner is lost, and then again until nothing is left to do. */
async function loseTheOutcome(world: World, engine: FaultyEngine) {
  const run = payment(world);
  await startOnly(engine, run, 'payment');
  await executeUntilLost(engine, run, 'payment');
  await executeUntilLost(engine, run, 'payment');
  checkEqual(world.times('pay'), 1, 'how often it was paid');
  const ending = checkPresent(await engine.ending('payment'), 'the ending');
  const { requests } = checkKind(ending.termination, 'interaction_pending');
  checkEqual(
    requests.map(({ type, tool, path }) => ({ type, tool, path })),
    [{ type: 'confirm_outcome', tool: 'pay', path: '' }],
    'what is asked',
  );
  return { run, requestId: checkPresent(requests[0], 'the request').id };
}

async function lostOutcome(world: World): Promise<void> {
  const crashed = world.faulty({ point: 'append', effect: 'crash', entry: 'step_ended', nth: 2 });
  const { run, requestId } = await loseTheOutcome(world, crashed);
  const engine = await world.restart();
  const answers = { [requestId]: { decision: 'approve', value: 'found it', by: 'ops' } } as const;
  const result = await run.resume('payment', { engine, answers });
  checkEqual(result.output, { receipt: 'found it' }, 'the output');
  checkEqual(world.done, ['prepare', 'pay'], 'the effects');
}

async function deniedOutcome(world: World): Promise<void> {
  const crashed = world.faulty({ point: 'flush', effect: 'crash', nth: 3 });
  const { run, requestId } = await loseTheOutcome(world, crashed);
  const engine = await world.restart();
  const result = await run.resume('payment', { engine, answers: { [requestId]: { decision: 'deny', by: 'ops' } } });
  checkEqual(result.output, { outcomeUnknown: true, code: 'OUTCOME_UNKNOWN' }, 'the output');
  checkEqual(world.times('pay'), 1, 'how often it was paid');
}

async function startNotCommitted(world: World): Promise<void> {
  const run = payment(world);
  const engine = world.faulty({ point: 'append', effect: 'crash', entry: 'step_started' });
  await startOnly(engine, run, 'payment');
  await executeUntilLost(engine, run, 'payment');
  checkEqual(world.times('pay'), 0, 'how often it was paid before its start was committed');
  await executeUntilLost(engine, run, 'payment');
  checkKind(checkPresent(await engine.ending('payment'), 'the ending').termination, 'flow_completed');
  checkEqual(world.times('pay'), 1, 'how often it was paid');
}

async function startBeforeEffect(world: World): Promise<void> {
  let entriesAtEffect: readonly string[] = [];
  const run = world.define({
    name: 'order',
    run: async (context) => {
      const look = async (): Promise<void> => {
        entriesAtEffect = await world.typesOf('order');
      };
      await context.step('pay', look, { once: true });
      return terminations.naturalEnd();
    },
  });
  await run.run(undefined, { engine: world.engine, runId: 'order' });
  check(entriesAtEffect.includes('step_started'), 'the effect began before its start was in the journal');
}

export const onceStepCases: readonly ConformanceCase[] = [
  conformanceCase('asks a person about a once-step whose outcome was lost, and never repeats it', lostOutcome),
  conformanceCase('fails a once-step with an unknown outcome when a person says that it did not happen', deniedOutcome),
  conformanceCase('performs a once-step whose start was not committed', startNotCommitted),
  conformanceCase('commits the start of a once-step before its effect', startBeforeEffect),
];
