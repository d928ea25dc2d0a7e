import { classifyError } from '../run/classify-error.js';
import { isInstance, RunCancelled, StepFailed } from '../run/errors.js';
import { frozenCopy } from '../run/frozen.js';
import { normalise } from '../run/normalise.js';
import type { RunContext } from '../run/run-context.js';
import type { Ending } from '../termination/ending.js';
import { terminations } from '../termination/terminations.js';
import { toErrorData } from '../termination/to-error-data.js';
import type { Executor, ExecutorCall, Ran, StageFunction, StageWork } from './executor.js';

/** The executor of any work; a plain function gets one of its own. */
export function executorOf<TDone, TOutput>(work: StageWork<TDone, TOutput>): Executor<TDone, TOutput> {
  return typeof work === 'function' ? functionExecutor(work) : work;
}

function functionExecutor<TDone, TOutput>(work: StageFunction<TDone, TOutput>): Executor<TDone, TOutput> {
  return {
    kinds: ['flow_completed', 'failed'],
    async execute(call: ExecutorCall<TDone>): Promise<Ran> {
      try {
        // A copy: the function may keep what it returned, and change it later.
        const output = frozenCopy(normalise(await work(call.done, call)));
        return { termination: terminations.flowCompleted({ last: call.stage }), output };
      } catch (error) {
        throwIfCancelled(error, call.context);
        return { termination: failureOf(error) };
      }
    },
  };
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
  const error = ofStep ? thrown.data : toErrorData(thrown);
  return terminations.failed({ error, origin: ofStep ? 'step' : 'stage', errorClass: classifyError(error) });
}
