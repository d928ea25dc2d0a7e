import { frozenCopy } from '../../run/frozen.js';
import type { RunLimits } from '../../run/limits.js';
import type { RunContext } from '../../run/run-context.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import { invalidOption } from '../../stop/check-option.js';
import { found } from '../../termination/check.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import { isObject } from '../../termination/json.js';
import { makeUsingKey } from '../machine/pipeline-key.js';
import type { Executor, ExecutorResult, StageCall } from '../options/stage-work.js';
import { receiveAs, rulesOf, type WorkRules } from '../options/work-rules.js';
import { failureOf, throwIfCancelled } from './function-executor.js';
import { inUnit } from './in-unit.js';
import { invalidResult } from './invalid-result.js';
import { keepDetails, type WorkDetails } from './keep-details.js';

/** How something that ran inside a stage ended. */
export interface RunnableEnd<TOutput> {
  readonly termination: Ending;
  readonly also?: readonly Ending[];
  readonly output?: TOutput;
  /** The details that callbacks of a stage see; asked for only where there are callbacks. */
  readonly details?: WorkDetails;
}

/**
 * Anything that can run inside another run: an agent, a pipeline, a convergence, a workflow, or something of one's own. A
 * resume that leaves its rules as they were when they ended the run is refused.
 */
export interface Runnable<in TInput, out TOutput> extends WorkRules {
  readonly name: string;
  /** The kinds that it can end with. */
  readonly kinds: readonly string[];
  /** The definitions of kinds of its own, its own ending or one inside it; its pipeline learns them. */
  readonly terminations?: readonly AnyTerminationDefinition[];
  /** The secrets that it seals; its pipeline seals them too. */
  readonly secrets?: Secrets;
  /** The limits of its own; never more than its parent has left. */
  readonly limits?: RunLimits;
  within(context: RunContext, input: TInput): Promise<RunnableEnd<TOutput>>;
}

/**
 * Makes a definition the work of a stage. Its ending is the ending of the stage's executor, whole.
 *
 * @example
 * pipeline('month-end').stage('reconcile', using(reconciler, ({ collect }) => collect.output))
 */
export function using<TDone, TInput, TOutput>(
  target: Runnable<TInput, TOutput>,
  input: (done: TDone, stage: StageCall) => TInput | Promise<TInput>,
): Executor<TDone, TOutput> {
  checkTarget(target);
  if (typeof input !== 'function')
    throw invalidOption(input, { builder: `using(${target.name})`, option: 'input' }, 'a function (done) => input');
  const executor: Executor<TDone, TOutput> = {
    name: target.name,
    kinds: target.kinds,
    terminations: target.terminations ?? [],
    ...(target.secrets !== undefined && { secrets: target.secrets }),
    ...rulesOf(target),
    async execute({ done, context, attempt, feedback, keepsDetails }) {
      const call = { context, attempt, ...(feedback !== undefined && { feedback }) };
      try {
        // A step, so that a resume asks again after a throw; it also shows readers of the journal what runs here.
        const given = await context.step(makeUsingKey(target.name), () => input(done, call));
        const body = async (inner: RunContext): Promise<ExecutorResult> =>
          endOfTarget(await target.within(inner, given), target.name, {
            context: inner,
            keepsDetails: keepsDetails === true,
          });
        const { name, limits } = target;
        const ran = await (limits === undefined
          ? body(context)
          : inUnit(context, { unit: 'limited', name, limits, body }));
        return ran.output === undefined ? ran : { ...ran, output: frozenCopy(ran.output) };
      } catch (error) {
        throwIfCancelled(error, context);
        return keepDetails({ termination: failureOf(error) }, { context, keepsDetails: keepsDetails === true });
      }
    },
  };
  return receiveAs(executor, target);
}

function endOfTarget(
  ended: RunnableEnd<unknown>,
  name: string,
  place: { readonly context: RunContext; readonly keepsDetails: boolean },
): ExecutorResult {
  if (isObject(ended) && isObject(ended.termination)) {
    const { details, ...ran } = ended as RunnableEnd<unknown>;
    return keepDetails(ran, place, details);
  }
  throw invalidResult(`within of ${name} returned ${found(ended)}; it must return { termination, output? }.`);
}

function checkTarget(target: unknown): void {
  const { name, kinds, within } = (target ?? {}) as Partial<Runnable<unknown, unknown>>;
  if (typeof name === 'string' && Array.isArray(kinds) && typeof within === 'function') return;
  throw invalidOption(
    target,
    { builder: 'using', option: '' },
    'an agent, a pipeline, a convergence, a workflow, or something of your own with name, kinds and within(context, input)',
  );
}
