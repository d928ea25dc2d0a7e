import { StepFailed } from '../../run/errors.js';
import { frozenCopy } from '../../run/frozen.js';
import type { RunContext } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import { yesOrNo } from '../../stop/wrong-verdict.js';
import { found } from '../../termination/check.js';
import { defaultLimits, measure } from '../../termination/codec/measure.js';
import type { Ending, Outcome } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { isObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import { terminations } from '../../termination/terminations.js';
import { validate } from '../../termination/validate.js';
import type { PlannedStage } from '../machine/plan.js';
import { isFine, type StageRun } from '../machine/stage-view.js';
import type { ExecutorResult } from '../options/stage-work.js';
import { invalidResult } from './invalid-result.js';

/** The ending of a stage after its callbacks were asked. */
export interface StageDecision {
  readonly outcome: Outcome;
  readonly termination: Ending;
  readonly also: readonly Ending[];
}

/** The work of a stage that has ended. */
interface EndedWork {
  readonly ran: ExecutorResult;
  readonly outcome: Outcome;
  readonly registry: TerminationRegistry;
}

interface Verdict {
  readonly treated?: boolean;
  readonly termination?: Ending;
  readonly errors?: readonly ErrorData[];
}

/**
 * Asks `treatAsSuccess`, then `onCompleted`: the first may change the outcome and nothing else, the second may change the
 * termination and nothing else. Their faults change nothing and are kept in `also`.
 */
export async function decideOutcome(
  stage: PlannedStage,
  { ran, outcome, registry }: EndedWork,
  context: RunContext,
): Promise<StageDecision> {
  const also = ran.also ?? [];
  const verdict = await recordVerdict(context, () => ask(stage, { ran, outcome, registry }));
  return {
    outcome: verdict.treated === true ? 'succeeded' : outcome,
    termination: verdict.termination ?? ran.termination,
    also: [...also, ...(verdict.errors ?? []).map(callbackFailed)],
  };
}

async function recordVerdict(context: RunContext, judge: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await context.record('completed', judge);
  } catch (error) {
    // What was returned cannot be journalled.
    if (error instanceof StepFailed) return { errors: [error.data] };
    throw error;
  }
}

async function ask(stage: PlannedStage, { ran, outcome: before, registry }: EndedWork): Promise<Verdict> {
  const { treatAsSuccess, onCompleted } = stage.options;
  const errors: ErrorData[] = [];
  const attempt = async <T>(callback: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await callback();
    } catch (error) {
      errors.push(toErrorData(error));
      return undefined;
    }
  };
  const termination = frozenCopy(ran.termination) as AnyTermination;
  const treat = async (): Promise<boolean> => yesOrNo('treatAsSuccess', await treatAsSuccess?.(termination));
  const treated = !isFine(before) && treatAsSuccess !== undefined && (await attempt(treat)) === true;
  const run = stageRun(stage, ran, treated ? 'succeeded' : before);
  const replaced = await attempt(async () => terminationOf(await onCompleted?.(run as StageRun<never>), registry));
  return {
    ...(treated && { treated }),
    ...(replaced !== undefined && { termination: replaced }),
    ...(errors.length > 0 && { errors }),
  };
}

/** The finished work as the callbacks of a stage see it. */
export function stageRun({ name }: PlannedStage, ran: ExecutorResult, outcome: Outcome): StageRun {
  const { termination, output, attempts = 1 } = ran;
  return { name, outcome, termination: frozenCopy(termination) as AnyTermination, output, attempts };
}

/** A kind that nobody knows is for the run to refuse, loudly; one whose fields are wrong would only lose the ending of the work. */
function terminationOf(returned: unknown, registry: TerminationRegistry): Ending | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (!isObject(returned) || typeof returned['kind'] !== 'string')
    throw invalidResult(
      `onCompleted returned ${found(returned)}; it must return a termination, or nothing to keep the one there is.`,
    );
  const termination = normalise(returned) as unknown as Ending;
  // One that is too large is cut when it is written.
  const isChecked = registry.find(termination.kind) !== undefined && measure(termination, defaultLimits) === undefined;
  const issues = isChecked ? validate(termination, { registry, unknownFields: 'keep', unknownKinds: 'keep' }) : [];
  if (issues.length === 0) return termination;
  const wrong = issues.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`).join('; ');
  throw invalidResult(`onCompleted returned a malformed ${returned['kind']}: ${wrong}.`);
}

function callbackFailed(error: ErrorData): Ending {
  return terminations.failed({ error, origin: 'stage', errorClass: 'internal' });
}
