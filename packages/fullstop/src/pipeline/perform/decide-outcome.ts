import { StepFailed } from '../../run/errors.js';
import { frozen, frozenCopy } from '../../run/frozen.js';
import type { RunContext } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import { yesOrNo } from '../../stop/wrong-verdict.js';
import { found } from '../../termination/check.js';
import { defaultLimits, measure } from '../../termination/codec/measure.js';
import type { Ending, Outcome } from '../../termination/ending.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { isObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import { terminations } from '../../termination/terminations.js';
import { cutText } from '../../termination/text/wording.js';
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
  /** The error about an ending whose kind nobody registered. */
  readonly unreadable?: Unreadable;
}

interface Unreadable {
  readonly error: ErrorData;
  /** In which segment it was returned: a later one asks again. */
  readonly segment: number;
}

const unregistered = 'UNREGISTERED_TERMINATION';

/**
 * Asks `treatAsSuccess`, then `onCompleted`: the first may change the outcome and nothing else, the second may change the
 * termination and nothing else. Their faults change nothing and are kept in `also`, save for an ending that nobody can read:
 * it fails the stage.
 */
export async function decideOutcome(
  stage: PlannedStage,
  { ran, outcome, registry }: EndedWork,
  context: RunContext,
): Promise<StageDecision> {
  const also = ran.also ?? [];
  const judge = (): Promise<Verdict> => ask(stage, { ran, outcome, registry });
  const first = await recordVerdict(context, judge);
  const verdict = first.unreadable === undefined ? first : await askAgain(context, first.unreadable, judge);
  if (verdict.unreadable !== undefined)
    return { outcome: 'failed', termination: unreadableEnding(verdict.unreadable), also };
  return {
    outcome: verdict.treated === true ? 'succeeded' : outcome,
    termination: verdict.termination ?? ran.termination,
    also: [...also, ...(verdict.errors ?? []).map(callbackFailed)],
  };
}

async function recordVerdict(context: RunContext, judge: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await context.record('completed', () => orUnreadable(judge, context.segment));
  } catch (error) {
    // What was returned cannot be journalled.
    if (error instanceof StepFailed) return { errors: [error.data] };
    throw error;
  }
}

async function orUnreadable(judge: () => Promise<Verdict>, segment: number): Promise<Verdict> {
  try {
    return await judge();
  } catch (error) {
    return { unreadable: { error: toErrorData(error), segment } };
  }
}

/** A step that fails, because a resume performs such a step again: by then the definition may be listed. */
async function askAgain(context: RunContext, known: Unreadable, judge: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await context.step('completed', () => {
      if (known.segment === context.segment) throw new FullstopError(unregistered, known.error.message);
      return judge();
    });
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return { unreadable: { error: error.data, segment: context.segment } };
  }
}

async function ask(stage: PlannedStage, { ran, outcome: before, registry }: EndedWork): Promise<Verdict> {
  const { treatAsSuccess, onCompleted } = stage.options;
  const errors: ErrorData[] = [];
  const attempt = async <T>(callback: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await callback();
    } catch (error) {
      // Not recorded: a resume asks again, when the definition is listed.
      if (error instanceof FullstopError && error.code === unregistered) throw error;
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
  const { termination, output, attempts = 1, details } = ran;
  const result = { name, outcome, termination: frozenCopy(termination) as AnyTermination, output, attempts };
  return details === undefined ? result : { ...result, details: frozen(details) };
}

/** A kind that nobody knows fails the stage, loudly; one whose fields are wrong would only lose the ending of the work. */
function terminationOf(returned: unknown, registry: TerminationRegistry): Ending | undefined {
  if (returned === undefined || returned === null) return undefined;
  if (!isObject(returned) || typeof returned['kind'] !== 'string')
    throw invalidResult(
      `onCompleted returned ${found(returned)}; it must return a termination, or nothing to keep the one there is.`,
    );
  const termination = normalise(returned) as unknown as Ending;
  if (registry.find(termination.kind) === undefined) {
    const returnedText = cutText(JSON.stringify(termination), longestText);
    throw new FullstopError(
      unregistered,
      `onCompleted returned ${returnedText}, whose kind is not registered; list its definition in terminations: [definition] of the pipeline, then resume.`,
    );
  }
  // One that is too large is cut when it is written.
  const isChecked = measure(termination, defaultLimits) === undefined;
  const issues = isChecked ? validate(termination, { registry, unknownFields: 'keep', unknownKinds: 'keep' }) : [];
  if (issues.length === 0) return termination;
  const wrong = issues.map(({ path, message }) => `${path === '' ? '' : `${path}: `}${message}`).join('; ');
  throw invalidResult(`onCompleted returned a malformed ${returned['kind']}: ${wrong}.`);
}

const longestText = 1000;

function callbackFailed(error: ErrorData): Ending {
  return terminations.failed({ error, origin: 'stage', errorClass: 'internal' });
}

/** With the origin of a step: that is what a resume performs again. */
function unreadableEnding({ error }: Unreadable): Ending {
  return terminations.failed({ error, origin: 'step', errorClass: 'configuration' });
}
