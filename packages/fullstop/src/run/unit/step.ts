import type { JournalEntry, StepOutcome } from '../../engines/port/journal-entry.js';
import type { ReceivedAnswer } from '../../engines/port/request.js';
import type { Charge } from '../../engines/port/usage.js';
import type { ErrorData } from '../../termination/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import { toErrorData } from '../../termination/to-error-data.js';
import { checkStepOptions } from '../check-step-options.js';
import { StepFailed } from '../errors.js';
import { goOnBehind } from '../replay/continue-after.js';
import { lastOf, lastStepOf } from '../replay/replay.js';
import { nextDelay } from '../retry.js';
import type { StepOptions } from '../run-context.js';
import type { Turn } from '../segment/delivery.js';
import type { Execution } from '../segment/execution.js';
import { never } from './never.js';
import { normalise } from './normalise.js';
import type { Permits } from './permits.js';
import { admit, refusedOutcome } from './step-admission.js';
import { Attempt } from './step-attempt.js';
import type { Asked, StepCall } from './step-call.js';
import { batchStopped } from './stopping.js';
import type { Unit } from './unit.js';

const noOptions: StepOptions = {};

/** Gives the journalled outcome of a step, or performs it and journals the outcome: as it is, or as a promise of it. */
export function step(execution: Execution, unit: Unit, call: StepCall): unknown {
  const options = call.options ?? noOptions;
  if (options !== noOptions) checkStepOptions(options, call.key);
  const ordinal = unit.nextOrdinal++;
  const slot = execution.slot(unit, ordinal, call.key);
  if (execution.closed || !unit.active) return never();
  const ended = lastStepOf(slot);
  const redone = ended !== undefined && isRedone(ended, { unit, options, watch: call.watch });
  if (ended !== undefined && !redone) return replayed(execution, unit, { call, entry: ended });
  const { key, effect, watch } = call;
  const asked: Asked = { unit, ordinal, key, effect, options, watch, redone, charge: undefined, giveBack: undefined };
  const isLost = lastOf(slot, 'step_started') !== undefined;
  const isAsked = call.watch?.stopping?.stopped !== true || lastOf(slot, 'request_opened') !== undefined;
  if (isLost && isAsked) return confirmOutcome(execution, asked);
  return call.watch?.permits === undefined ? perform(execution, asked) : inTurn(execution, asked, call.watch.permits);
}

/** A failure is tried again when it is what the unit ended with, or when it was only stopped with its batch. */
function isRedone(
  ended: JournalEntry<'step_ended'>,
  { unit, options, watch }: Pick<Asked, 'unit' | 'options' | 'watch'>,
): boolean {
  if (watch?.redoes?.(ended) === true) return true;
  return options.once !== true && ended.seq === unit.redo;
}

/** Performs a step once there is a permit for it. */
async function inTurn(execution: Execution, asked: Asked, permits: Permits): Promise<unknown> {
  const { unit, watch } = asked;
  execution.begin(unit);
  const permit = await permits.acquire();
  execution.done(unit);
  if (execution.closed || !unit.active || watch?.stopping?.dropped === true) {
    permit.release();
    return never();
  }
  try {
    return await perform(execution, asked);
  } finally {
    permit.release();
  }
}

interface Replayed {
  readonly call: StepCall;
  readonly entry: JournalEntry<'step_ended'>;
}

async function replayed(execution: Execution, unit: Unit, { call, entry }: Replayed): Promise<unknown> {
  await execution.delivery.reserve(entry.seq)();
  if (execution.closed || !unit.active) return never();
  unit.see(entry.at);
  call.watch?.seen(entry.seq, entry.at, entry.data);
  if (entry.data.next !== undefined) goOnBehind(execution, unit, entry.data.next);
  return settled(call, entry.data);
}

/** Performs a step: gives its result or a promise of it. No async function, because nearly every step would wait for it too. */
function perform(execution: Execution, asked: Asked): unknown {
  const { unit, key, options } = asked;
  const refusal = execution.refusal(unit);
  if (refusal !== undefined) throw refusal;
  if (execution.releasing) return never();
  const admitted = admit(execution, unit, options.reserve);
  if (admitted === undefined) return never();
  execution.begin(unit);
  if (typeof admitted !== 'function') return finish(execution, asked, refusedOutcome(key, admitted));
  asked.giveBack = admitted;
  return isPlain(asked) ? performPlain(execution, asked) : performGuarded(execution, asked);
}

/** Performs an effect with one promise behind it, and no more. */
function performPlain(execution: Execution, asked: Asked): Promise<unknown> {
  let working: unknown;
  try {
    asked.watch?.onBegin?.();
    working = asked.effect(new Attempt(execution, asked, 1));
  } catch (thrown) {
    working = Promise.reject(thrown);
  }
  return (working instanceof Promise ? working : Promise.resolve(working)).then(
    (value: unknown) => finish(execution, asked, outcomeWith(value, asked)),
    (thrown: unknown) => finish(execution, asked, failed(asked, toErrorData(thrown), 1)),
  );
}

async function performGuarded(execution: Execution, asked: Asked): Promise<unknown> {
  let outcome: StepOutcome | undefined;
  try {
    outcome = await outcomeOf(execution, asked);
  } catch (error) {
    countOut(execution, asked);
    throw error;
  }
  return finish(execution, asked, outcome);
}

function outcomeWith(value: unknown, asked: Asked): StepOutcome {
  try {
    return succeeded(jsonOf(value, asked), 1, asked.charge);
  } catch (notJson) {
    return failed(asked, toErrorData(notJson), 1);
  }
}

function jsonOf(value: unknown, { watch }: Asked): JsonValue | undefined {
  return watch?.isJson === true ? (value as JsonValue) : normalise(value);
}

/** Journals what came of an effect and gives it; whatever happens, the step is counted out. */
function finish(execution: Execution, asked: Asked, outcome: StepOutcome | undefined): unknown {
  let result: unknown = dropped;
  try {
    if (outcome !== undefined && !execution.closed && asked.unit.active) result = conclude(execution, asked, outcome);
  } catch (error) {
    countOut(execution, asked);
    throw error;
  }
  if (result instanceof Promise) return finishLater(execution, asked, result);
  countOut(execution, asked);
  return result === dropped ? never() : result;
}

function finishLater(execution: Execution, asked: Asked, concluded: Promise<unknown>): Promise<unknown> {
  return concluded.then(
    (result) => {
      countOut(execution, asked);
      return result === dropped ? never() : result;
    },
    (error: unknown) => {
      countOut(execution, asked);
      throw error;
    },
  );
}

function countOut(execution: Execution, { unit, giveBack }: Asked): void {
  giveBack?.();
  execution.done(unit);
}

/** Stands for a result that nobody is to get; what was counted in is counted out all the same. */
const dropped: unique symbol = Symbol('dropped');

/** An effect that was stopped by the cancellation has no outcome worth keeping: a resume performs it again. */
function conclude(execution: Execution, asked: Asked, outcome: StepOutcome): unknown {
  const stopped = outcome.ok ? undefined : execution.refusal(asked.unit);
  if (stopped === undefined) return keep(execution, asked, outcome);
  keepCharge(execution, asked, outcome);
  throw stopped;
}

/** True when there is one attempt, and nothing that could cut it short. */
function isPlain({ options, watch }: Asked): boolean {
  const { once, retry, timeoutMs } = options;
  return once !== true && retry === undefined && timeoutMs === undefined && watch?.stopping === undefined;
}

/** Performs the effect; undefined when its start could not be kept. */
function outcomeOf(execution: Execution, asked: Asked): StepOutcome | Promise<StepOutcome | undefined> {
  const { options, watch } = asked;
  if (watch?.stopping?.stopped === true) return stoppedOutcome(asked, 1);
  watch?.onBegin?.();
  return options.once === true ? startedOnce(execution, asked) : attempts(execution, asked);
}

async function startedOnce(execution: Execution, asked: Asked): Promise<StepOutcome | undefined> {
  const { unit, ordinal, key } = asked;
  execution.append<'step_started'>({ type: 'step_started', scope: unit.scope, ordinal, key, data: { attempt: 1 } });
  return (await execution.commit()) ? attempts(execution, asked) : undefined;
}

/** Journals an outcome and gives it to the body: at once where nothing is to be waited for. */
function keep(execution: Execution, asked: Asked, performed: StepOutcome): unknown {
  const { unit, ordinal, key, redone, watch } = asked;
  // What the unit did after the failure is a branch that is dead now; it goes on behind it.
  const next = redone ? execution.replay.nextOrdinal(unit.scope) : undefined;
  const outcome = execution.seal(next === undefined ? performed : { ...performed, next });
  const at = execution.now();
  execution.append<'step_ended'>({ type: 'step_ended', scope: unit.scope, ordinal, key, at, data: outcome });
  unit.ledger.book(outcome.charge);
  const seq = execution.lastSeq;
  const turn = execution.turnOf(seq, 1, watch && unit);
  watch?.seen(seq, at, outcome);
  const kept: Kept = { outcome, at, seq, next, turn, committed: execution.commit() };
  const isReady = watch !== undefined && turn === undefined && kept.committed === true;
  return isReady && !execution.settings.alwaysReplay ? give(execution, asked, kept) : handOver(execution, asked, kept);
}

/** An outcome that stands in the journal. */
interface Kept {
  readonly outcome: StepOutcome;
  readonly at: number;
  readonly seq: number;
  readonly next: number | undefined;
  readonly turn: Turn | undefined;
  readonly committed: boolean | Promise<boolean>;
}

/** Gives an outcome to the body once it is durable, in its turn. Where runs wait for their commits, there is one of these for each. */
function handOver(execution: Execution, asked: Asked, kept: Kept): Promise<unknown> {
  const { committed, turn } = kept;
  if (typeof committed === 'boolean' || turn !== undefined || execution.settings.alwaysReplay)
    return handOverInTurn(execution, asked, kept);
  // `drive` folds by place, and needs no turns.
  const hold = asked.watch === undefined ? execution.delivery.hold(kept.seq) : undefined;
  return committed.then((isKept) => {
    if (!isKept) return dropped;
    const waiting = hold?.();
    return waiting === undefined ? give(execution, asked, kept) : waiting.then(() => give(execution, asked, kept));
  });
}

async function handOverInTurn(execution: Execution, asked: Asked, kept: Kept): Promise<unknown> {
  const { committed, turn, seq } = kept;
  if (!(committed === true || (await committed))) return dropped;
  if (execution.settings.alwaysReplay && (await execution.replaysInstead(1))) return dropped;
  // With a commit in between, everything that was ready has been called.
  if (turn !== undefined || (committed === true && asked.watch === undefined)) await execution.handOver(seq, turn);
  return give(execution, asked, kept);
}

function give(execution: Execution, asked: Asked, { at, next, outcome }: Kept): unknown {
  const { unit } = asked;
  if (execution.closed || !unit.active) return dropped;
  unit.see(at);
  if (next !== undefined) goOnBehind(execution, unit, next);
  return settled(asked, outcome);
}

function settled({ key, watch }: Pick<StepCall, 'key' | 'watch'>, outcome: StepOutcome): unknown {
  return watch?.settle === undefined ? settle(key, outcome) : watch.settle(key, outcome);
}

/** What a step that a cancellation stopped has used stays used. */
function keepCharge(execution: Execution, { unit, ordinal, key }: Asked, outcome: StepOutcome): void {
  if (outcome.charge === undefined) return;
  const data = execution.seal({ ...outcome, stopped: true });
  execution.append<'step_ended'>({ type: 'step_ended', scope: unit.scope, ordinal, key, data });
  unit.ledger.book(outcome.charge);
}

async function attempts(execution: Execution, asked: Asked): Promise<StepOutcome> {
  const { retry, timeoutMs } = asked.options;
  const stopping = asked.watch?.stopping;
  const guarded = timeoutMs !== undefined || stopping !== undefined;
  for (let attempt = 1; ; attempt += 1) {
    const current = new Attempt(execution, asked, attempt);
    let error: ErrorData;
    try {
      const value = jsonOf(await (guarded ? current.guarded() : asked.effect(current)), asked);
      return succeeded(value, attempt, asked.charge);
    } catch (thrown) {
      error = toErrorData(thrown);
    }
    if (stopping?.stopped === true) return stoppedOutcome(asked, attempt);
    const delay = nextDelay(retry, { error, attempt }, execution.settings.random());
    if (delay === undefined || !(await waitToRetry(execution, asked, delay))) return failed(asked, error, attempt);
  }
}

/** What is left of a step that was stopped with its batch. Nobody knows how far the effect of a once-step had come. */
function stoppedOutcome(asked: Asked, attempts: number): StepOutcome {
  const outcome = failed(asked, batchStopped(asked.key), attempts);
  return asked.options.once === true ? { ...outcome, outcomeUnknown: true } : outcome;
}

function failed({ charge }: Asked, error: ErrorData, attempts: number): Extract<StepOutcome, { ok: false }> {
  return { ok: false, error, attempts, ...(charge !== undefined && { charge }) };
}

/** False when there is to be no further attempt, because the unit was cancelled or has ended meanwhile. */
function waitToRetry(execution: Execution, { unit, watch }: Asked, milliseconds: number): Promise<boolean> {
  const { clock } = execution.engine;
  return new Promise((resolve) => {
    let over = false;
    const stops: (() => void)[] = [];
    const settle = (again: boolean): void => {
      over = true;
      for (const stop of stops) stop();
      resolve(again);
    };
    stops.push(unit.whenAborted(() => settle(false)));
    // The next attempt sees that it is to stop.
    if (watch?.stopping !== undefined) stops.push(watch.stopping.whenStopped(() => settle(true)));
    if (!over) stops.push(clock.callAt(clock.now() + milliseconds, () => settle(true)));
  });
}

/** Spelled out, because objects made of spreads are kept in two pieces, and a long run keeps very many of these. */
function succeeded(value: JsonValue | undefined, attempts: number, charge: Charge | undefined): StepOutcome {
  if (value === undefined) return charge === undefined ? { ok: true, attempts } : { ok: true, attempts, charge };
  return charge === undefined ? { ok: true, value, attempts } : { ok: true, value, attempts, charge };
}

/** A once-step whose start is journalled and whose outcome is not: a person says what became of it; it is never repeated. */
async function confirmOutcome(execution: Execution, asked: Asked): Promise<unknown> {
  const { unit, ordinal, key, options } = asked;
  const refusal = execution.refusal(unit);
  if (refusal !== undefined) throw refusal;
  asked.watch?.onConfirm?.();
  const about = options.about ?? { tool: key };
  const answer = await execution.waits.confirm({ unit, ordinal, key }, about);
  execution.begin(unit);
  let result: unknown;
  try {
    result = await keep(execution, asked, confirmedOutcome(about.tool, answer));
  } finally {
    execution.done(unit);
  }
  return result === dropped ? never() : result;
}

function confirmedOutcome(name: string, { decision, by, value }: ReceivedAnswer): StepOutcome {
  // Only a yes confirms: what is neither yes nor no must not count as done.
  if (decision === 'approve') return { ok: true, attempts: 1, ...(value !== undefined && { value }) };
  const message = `The effect of ${name} did not happen, as confirmed by ${by ?? 'someone'}.`;
  return {
    ok: false,
    error: { name: 'OutcomeUnknown', message, code: 'OUTCOME_UNKNOWN' },
    attempts: 1,
    outcomeUnknown: true,
  };
}

/** What the body gets for an outcome. */
export function settle(key: string, outcome: StepOutcome): JsonValue | undefined {
  if (outcome.ok) return outcome.value;
  throw new StepFailed(key, outcome.error, outcome);
}
