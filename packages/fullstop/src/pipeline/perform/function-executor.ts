import { withModelFailure } from '../../models/errors/model-failure-data.js';
import { endingOfError } from '../../run/ending/ending-of-error.js';
import { modelFailureKinds } from '../../run/ending/model-failure-kinds.js';
import { isInstance, RunCancelled, StepFailed } from '../../run/errors.js';
import { frozenCopy } from '../../run/frozen.js';
import type { RunContext } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import { found } from '../../termination/check.js';
import { defaultLimits, measure } from '../../termination/codec/measure.js';
import { isMadeTermination } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { isObject } from '../../termination/json.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import { terminations } from '../../termination/terminations.js';
import { validate } from '../../termination/validate.js';
import type { Executor, ExecutorCall, ExecutorResult, StageFunction, StageWork } from '../options/stage-work.js';
import { keepDetails } from './keep-details.js';

/** The executor of any work; a plain function gets one of its own. What is neither is refused. */
export function executorOf<TDone, TOutput>(work: StageWork<TDone, TOutput>, where: string): Executor<TDone, TOutput> {
  if (typeof work === 'function') return functionExecutor(work);
  // Definitions can be executed too, but not as a stage.
  const isDefinition = isObject(work) && typeof work['within'] === 'function';
  if (isObject(work) && !isDefinition && typeof work['execute'] === 'function' && Array.isArray(work['kinds']))
    return work;
  const hint = isDefinition ? ' Wrap a definition: using(definition, (done) => input).' : '';
  throw new FullstopError(
    'INVALID_OPTION',
    `${where} has ${found(work)} as its work; it must be a function, using(…) or a decorator.${hint}`,
  );
}

function functionExecutor<TDone, TOutput>(work: StageFunction<TDone, TOutput>): Executor<TDone, TOutput> {
  return {
    kinds: ['flow_completed', 'failed', ...modelFailureKinds],
    async execute(call: ExecutorCall<TDone>): Promise<ExecutorResult> {
      try {
        const returned: unknown = await work(call.done, call);
        if (isMadeTermination(returned) && call.registry.find(returned.kind) === undefined)
          return keepDetails({ termination: unregisteredEnding(returned) }, call);
        // A copy: the function may keep what it returned, and change it later.
        const output = frozenCopy(normalise(returned));
        if (isTermination(output, call.registry)) return keepDetails({ termination: output }, call);
        return keepDetails({ termination: terminations.flowCompleted({ last: call.stage }), output }, call);
      } catch (error) {
        throwIfCancelled(error, call.context);
        return keepDetails({ termination: failureOf(error) }, call);
      }
    },
  };
}

/** True for a whole termination of a kind that the pipeline knows: the stage ends with it, as a run does whose body returns one. */
function isTermination(value: unknown, registry: TerminationRegistry): value is Ending {
  if (!isObject(value) || typeof value['kind'] !== 'string' || registry.find(value['kind']) === undefined) return false;
  const isSmall = measure(value, defaultLimits) === undefined;
  return isSmall && validate(value, { registry, unknownFields: 'reject', unknownKinds: 'reject' }).length === 0;
}

/** As in a run whose body returns one: an ending that nobody can read fails the stage, which is done again when the run is resumed. */
function unregisteredEnding({ kind }: Ending): Ending {
  const message = `No kind named ${JSON.stringify(kind)} is registered; list its definition in terminations: [definition].`;
  const error = { name: 'InvalidEnding', message, code: 'UNREGISTERED_TERMINATION' };
  return terminations.failed({ error, origin: 'stage', errorClass: 'configuration' });
}

/** A run that is being cancelled unwinds: what its stages throw meanwhile is no failure of theirs. */
export function throwIfCancelled(error: unknown, context: RunContext): void {
  if (isInstance(error, RunCancelled)) throw error;
  const { aborted, reason } = context.signal;
  if (aborted && isInstance(reason, RunCancelled)) throw reason;
}

/** How a stage ends whose code threw. */
export function failureOf(thrown: unknown): Ending {
  const ofStep = isInstance(thrown, StepFailed);
  // A limit that a step could not keep to is why the stage stops, if its code has no answer to that.
  if (ofStep && thrown.refusal !== undefined) return thrown.refusal;
  if (ofStep) return endingOfError(thrown.data, 'step', thrown.attempts);
  return endingOfError(withModelFailure(toErrorData(thrown), thrown), 'stage');
}
