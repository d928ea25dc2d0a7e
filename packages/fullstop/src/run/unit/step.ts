import type { JournalEntry, StepOutcome } from '../../engines/port/journal-entry.js';
import type { ReceivedAnswer } from '../../engines/port/request.js';
import { withModelFailure } from '../../models/errors/model-failure-data.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { checkStepOptions } from '../check-step-options.js';
import { continueAfter } from '../replay/continue-after.js';
import { lastOf, lastStepOf } from '../replay/replay.js';
import type { Turn } from '../segment/delivery.js';
import type { Execution } from '../segment/execution.js';
import { replayInstead } from '../segment/replay-instead.js';
import { endAtLimit } from './end-unit.js';
import type { Permits } from './permits.js';
import { admit, takeShare } from './step-admission.js';
import { Attempt } from './step-attempt.js';
import { AskedStep, type StepCall } from './step-call.js';
import {
  confirmedOutcome,
  refusedOutcome,
  resultOf,
  stoppedOutcome,
  succeededOutcome,
  writeOutcome,
} from './step-outcome.js';
import { outcomeOfFailure } from './step-retry.js';
import { isBatchStopped } from './stopping.js';
import type { Unit } from './unit.js';
import { confirm } from './wait.js';
import { waitForever } from './wait-forever.js';

/** Returns the journalled outcome of a step, or performs it. */
export function step(execution: Execution, unit: Unit, call: StepCall): Promise<unknown> {
  const { key, options, watch } = call;
  const ordinal = unit.nextOrdinal++;
  const slot = execution.journal.slot(unit.scope, ordinal, key);
  if (execution.state.isOverFor(unit)) return waitForever();
  const ended = lastStepOf(slot);
  // A failure is tried again when it is what the unit ended with, or when it was only stopped with its batch.
  const isRedone =
    ended !== undefined && (watch?.redoes?.(ended) === true || (options?.once !== true && ended.seq === unit.redo));
  if (ended !== undefined && !isRedone) return replayStep(execution, unit, { call, ended });
  const hasStarted = lastOf(slot, 'step_started') !== undefined;
  const isLost = hasStarted && (watch?.stopping?.stopped !== true || lastOf(slot, 'request_opened') !== undefined);
  return performStep(execution, new AskedStep(unit, call, { ordinal, isRedone, isLost, slot }));
}

interface EndedStep {
  readonly call: StepCall;
  readonly ended: JournalEntry<'step_ended'>;
}

/** Hands over the outcome that the journal holds. */
async function replayStep(execution: Execution, unit: Unit, { call, ended }: EndedStep): Promise<unknown> {
  call.watch?.found?.(ended.seq);
  await execution.delivery.reserve(ended.seq)();
  if (execution.state.isOverFor(unit)) return waitForever();
  const { key, watch } = call;
  watch?.seen(ended.seq, ended.at, ended.data);
  return handOver(execution, { unit, key, watch }, { outcome: ended.data, at: ended.at });
}

/** Performs a step: admits it, tries its effect, journals and commits the outcome and hands it over in the order of the journal. */
async function performStep(execution: Execution, asked: AskedStep): Promise<unknown> {
  const { state } = execution;
  const { unit, key, options, isLost } = asked;
  checkStepOptions(options, key);
  try {
    const delay = isLost ? undefined : delayStep(execution, asked);
    if (delay !== undefined) await delay;
    let outcome = isLost ? await confirmOutcome(execution, asked) : beginStep(execution, asked);
    if (outcome === undefined && options.once === true) outcome = await journalStart(execution, asked);
    while (outcome === undefined) {
      try {
        const value = await new Attempt(execution, asked).perform();
        outcome = succeededOutcome(value, asked);
      } catch (thrown) {
        outcome = await outcomeOfFailure(execution, asked, withModelFailure(toErrorData(thrown), thrown));
      }
    }
    if (outcome === 'dropped' || state.isOverFor(unit)) return waitForever();
    if (!outcome.ok) throwIfCancelled(execution, asked, outcome);
    const journalled = journalOutcome(execution, asked, outcome);
    const isDelivered = commitAndDeliver(execution, journalled.turn);
    // Awaited only where it is still to come: an await costs as much as all the bookkeeping of a step.
    if (isDelivered !== true && !(await isDelivered)) return waitForever();
    return state.isOverFor(unit) ? waitForever() : handOver(execution, asked, journalled);
  } finally {
    release(execution, asked);
  }
}

/** Waits for a permit, for budgets that are shared with other runs and for a share of what is left; undefined for most steps, which need none. */
function delayStep(execution: Execution, asked: AskedStep): Promise<void> | undefined {
  const delay = awaitAdmission(execution, asked);
  return delay === undefined ? takeShare(execution, asked) : delay.then(() => takeShare(execution, asked));
}

function awaitAdmission(execution: Execution, asked: AskedStep): Promise<void> | undefined {
  const { unit, watch, isElsewhere } = asked;
  const acquired = watch?.permits === undefined ? undefined : acquirePermit(execution, asked, watch.permits);
  if (isElsewhere || !execution.budget.isShared) return acquired;
  const check = (): Promise<void> => checkSharedBudget(execution, unit);
  return acquired === undefined ? check() : acquired.then(check);
}

/** Ends the run if a budget is used up that it shares with other runs. */
async function checkSharedBudget({ state, root, rest, budget }: Execution, unit: Unit): Promise<void> {
  if (unit.undoing || state.isOverFor(unit)) return;
  rest.begin(unit);
  try {
    const exceeded = await budget.exceeded(unit.signal);
    if (exceeded !== undefined && !state.isOverFor(unit)) endAtLimit(root, exceeded);
  } catch (error) {
    // A budget that cannot be looked at must not be exceeded.
    state.fail(error);
  } finally {
    rest.done(unit);
  }
}

/** Waiting for a permit is work under way: the run is not at rest. */
async function acquirePermit({ rest }: Execution, asked: AskedStep, permits: Permits): Promise<void> {
  rest.begin(asked.unit);
  asked.permit = await permits.acquire();
  rest.done(asked.unit);
}

/** A once-step whose start is journalled and whose outcome is not: a person says what became of it; it is never repeated. */
async function confirmOutcome(execution: Execution, asked: AskedStep): Promise<StepOutcome> {
  const { state, rest } = execution;
  const { unit, ordinal, key, options, watch } = asked;
  const refusal = state.refusalFor(unit);
  if (refusal !== undefined) throw refusal;
  watch?.onConfirm?.();
  const about = options.about ?? { tool: key };
  let answer: ReceivedAnswer | undefined;
  try {
    answer = await confirm(execution, { unit, ordinal, key, stopping: watch?.stopping }, about);
  } catch (error) {
    if (!isBatchStopped(toErrorData(error))) throw error;
  }
  rest.begin(unit);
  asked.isCounted = true;
  return answer === undefined ? stoppedOutcome(asked) : confirmedOutcome(about.tool, answer);
}

/** Admits a step. Its outcome if it is not to be performed; 'dropped' when nobody is to get one. */
function beginStep({ state, rest }: Execution, asked: AskedStep): StepOutcome | 'dropped' | undefined {
  const { unit, key, options, watch } = asked;
  if (state.isOverFor(unit) || watch?.stopping?.dropped === true) return 'dropped';
  const refusal = state.refusalFor(unit);
  if (refusal !== undefined) throw refusal;
  if (state.releasing) return 'dropped';
  if (rest.isAside && !asked.isElsewhere) {
    rest.release('it waited for runs that it has spawned, and its place in the queue went to others', true);
    return 'dropped';
  }
  const isStopped = watch?.stopping?.stopped === true;
  // What is not performed needs no room in a budget, and one that is used up must not keep its outcome back.
  const admitted = isStopped ? nothing : admit(unit, watch?.isShrinkable === true ? undefined : options.reserve);
  if (admitted === undefined) return 'dropped';
  rest.begin(unit);
  asked.isCounted = true;
  if (typeof admitted !== 'function') return refusedOutcome(key, admitted);
  asked.giveBack ??= admitted;
  if (isStopped) return stoppedOutcome(asked);
  watch?.onBegin?.();
  return undefined;
}

/** Commits the start of a once-step before its effect. */
async function journalStart({ journal }: Execution, { unit, ordinal, key }: AskedStep): Promise<'dropped' | undefined> {
  const data = { attempt: 1 } as const;
  journal.append<'step_started'>({ type: 'step_started', scope: unit.scope, ordinal, key, data });
  return (await journal.commit()) ? undefined : 'dropped';
}

/** An effect that a cancellation stopped has no outcome worth keeping: a resume performs it again. What it used stays used. */
function throwIfCancelled(execution: Execution, asked: AskedStep, outcome: StepOutcome): void {
  const refusal = execution.state.refusalFor(asked.unit);
  if (refusal === undefined) return;
  if (outcome.charge !== undefined)
    writeOutcome(execution, asked, execution.journal.seal({ ...outcome, stopped: true }));
  throw refusal;
}

/** An outcome that is in the journal, and its turn to be handed over. */
interface JournalledOutcome {
  readonly outcome: StepOutcome;
  readonly at: number;
  readonly turn?: Turn | undefined;
}

/** Journals an outcome and takes its place in the hand-over of results. */
function journalOutcome(execution: Execution, asked: AskedStep, performed: StepOutcome): JournalledOutcome {
  const { journal, delivery } = execution;
  const { unit, watch } = asked;
  // What the unit did after the failure is a dead branch now; the unit continues after it.
  const outcome = journal.seal(
    asked.isRedone ? { ...performed, next: journal.replay.nextOrdinal(unit.scope) } : performed,
  );
  const at = writeOutcome(execution, asked, outcome);
  const seq = journal.lastSeq;
  const turn = watch === undefined ? delivery.reserve(seq) : delivery.reserveForFold(seq);
  watch?.seen(seq, at, outcome);
  return { outcome, at, turn };
}

/** True when the outcome is durable and its turn has come; false when the body is not to get it. */
function commitAndDeliver(execution: Execution, turn: Turn | undefined): true | Promise<boolean> {
  const isCommitted = execution.journal.commit();
  if (isCommitted !== true || execution.settings.alwaysReplay) return deliverLater(execution, isCommitted, turn);
  return turn === undefined ? true : turn();
}

async function deliverLater(
  execution: Execution,
  committing: boolean | Promise<boolean>,
  turn: Turn | undefined,
): Promise<boolean> {
  if (!(await committing) || (await replayInstead(execution, 1))) return false;
  return turn === undefined ? true : turn();
}

function handOver(
  { journal }: Execution,
  { unit, key, watch }: Pick<AskedStep, 'unit' | 'key' | 'watch'>,
  { outcome, at }: JournalledOutcome,
): unknown {
  unit.see(at);
  if (outcome.next !== undefined) continueAfter(journal.replay, unit, outcome.next);
  return watch?.settle === undefined ? resultOf(key, outcome) : watch.settle(key, outcome);
}

/** Returns everything that a step held while it was under way. */
function release({ rest }: Execution, { unit, giveBack, isCounted, permit, cutListener }: AskedStep): void {
  if (cutListener !== undefined) unit.removeAbortListener(cutListener);
  giveBack?.();
  if (isCounted) rest.done(unit);
  permit?.release();
}

function nothing(): void {
  // Nothing was reserved.
}
