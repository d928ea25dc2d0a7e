import type { Clock } from '../engines/port/clock.js';
import type { AbortSignalLike } from '../engines/port/engine.js';
import { host } from '../engines/port/host.js';
import type { JournalEntry, StepOutcome } from '../engines/port/journal-entry.js';
import type { ReceivedAnswer } from '../engines/port/request.js';
import type { Charge } from '../engines/port/usage.js';
import type { ErrorData } from '../termination/error-data.js';
import type { JsonValue } from '../termination/json.js';
import { toErrorData } from '../termination/to-error-data.js';
import { StepFailed } from './errors.js';
import type { Execution } from './execution.js';
import { goOnBehind } from './go-on-behind.js';
import { never } from './never.js';
import { normalise } from './normalise.js';
import { lastOf } from './replay.js';
import { checkRetry, nextDelay } from './retry.js';
import type { StepAttempt, StepOptions } from './run-context.js';
import type { Unit } from './unit.js';

type Effect = (attempt: StepAttempt) => unknown;

export interface StepCall {
  readonly key: string;
  readonly effect: Effect;
  readonly options?: StepOptions | undefined;
  /** Told where in the journal the outcome stands. */
  readonly seen?: ((seq: number) => void) | undefined;
}

/** A step that is being asked for: where it stands and what it does. */
interface Asked extends StepCall {
  readonly unit: Unit;
  readonly ordinal: number;
  readonly options: StepOptions;
  /** True when it failed in an earlier segment and is tried again. */
  readonly redone: boolean;
}

const noOptions: StepOptions = {};

/** Gives the journalled outcome of a step, or performs it and journals the outcome. */
export function step(execution: Execution, unit: Unit, call: StepCall): Promise<unknown> {
  const options = call.options ?? noOptions;
  if (options.retry !== undefined) checkRetry(options.retry, options.once === true, call.key);
  const ordinal = unit.nextOrdinal++;
  const slot = execution.slot(unit, ordinal, call.key);
  if (execution.closed || !unit.active) return never();
  const ended = lastOf(slot, 'step_ended');
  if (ended !== undefined && (options.once === true || ended.seq !== unit.redo))
    return replayed(execution, unit, { call, entry: ended });
  const redone = ended !== undefined;
  const asked: Asked = { unit, ordinal, key: call.key, effect: call.effect, options, seen: call.seen, redone };
  if (lastOf(slot, 'step_started') !== undefined) return confirmOutcome(execution, asked);
  return perform(execution, asked);
}

interface Replayed {
  readonly call: StepCall;
  readonly entry: JournalEntry<'step_ended'>;
}

async function replayed(execution: Execution, unit: Unit, { call, entry }: Replayed): Promise<JsonValue | undefined> {
  await execution.delivery.reserve(entry.seq)();
  if (execution.closed || !unit.active) return never();
  unit.see(entry.at);
  call.seen?.(entry.seq);
  if (entry.data.next !== undefined) goOnBehind(execution, unit, entry.data.next);
  return settle(call.key, entry.data);
}

async function perform(execution: Execution, asked: Asked): Promise<unknown> {
  const { unit, ordinal, key, options } = asked;
  const refusal = execution.refusal(unit);
  if (refusal !== undefined) throw refusal;
  if (execution.releasing) return never();
  const release = admit(execution, unit, options.reserve);
  if (release === undefined) return never();
  execution.begin();
  try {
    if (options.once === true) {
      execution.append<'step_started'>({ type: 'step_started', scope: unit.scope, ordinal, key, data: { attempt: 1 } });
      if (!(await execution.flush())) return never();
    }
    const outcome = await attempts(execution, asked);
    if (execution.closed || !unit.active) return never();
    // An effect that was stopped by the cancellation has no outcome worth keeping: a resume performs it again.
    if (!outcome.ok && execution.refusal(unit) !== undefined) throw execution.refusal(unit);
    return await keep(execution, asked, outcome);
  } finally {
    release();
    execution.done();
  }
}

/** Journals an outcome and gives it to the body. */
async function keep(execution: Execution, asked: Asked, performed: StepOutcome): Promise<unknown> {
  const { unit, ordinal, key, redone } = asked;
  // What the unit did after the failure is a branch that is dead now; it goes on behind it.
  const next = redone ? execution.replay.nextOrdinal(unit.scope) : undefined;
  const outcome = execution.seal(next === undefined ? performed : { ...performed, next });
  const at = execution.append<'step_ended'>({ type: 'step_ended', scope: unit.scope, ordinal, key, data: outcome });
  asked.seen?.(execution.lastSeq);
  unit.ledger.book(outcome.charge);
  const seq = execution.lastSeq;
  const turn = execution.turnOf(seq, 1);
  const committed = execution.commit();
  if (!(committed === true || (await committed))) return never();
  if (execution.settings.alwaysReplay && (await execution.replaysInstead(1))) return never();
  // With a commit in between, everything that was ready has been called.
  if (turn !== undefined || committed === true) await execution.handOver(seq, turn);
  if (execution.closed || !unit.active) return never();
  unit.see(at);
  if (next !== undefined) goOnBehind(execution, unit, next);
  return settle(key, outcome);
}

/** Lets a step begin if no limit stands against it; otherwise the unit whose limit it is ends. */
function admit(execution: Execution, unit: Unit, reserve: Charge | undefined): (() => void) | undefined {
  const exceeded = unit.undoing ? undefined : unit.ledger.exceeded();
  const held = exceeded === undefined && reserve !== undefined ? unit.ledger.reserve(reserve) : exceeded;
  if (held === undefined) return nothing;
  if (typeof held === 'function') return held;
  let owner: Unit = unit;
  while (owner.ledger !== held.ledger && owner.parent !== undefined) owner = owner.parent;
  execution.endUnit(owner, held.termination);
  return undefined;
}

function nothing(): void {
  // Nothing was reserved, so nothing is given back.
}

async function attempts(execution: Execution, asked: Asked): Promise<StepOutcome> {
  const { retry, timeoutMs } = asked.options;
  const book = new Booking();
  for (let attempt = 1; ; attempt += 1) {
    const current = new Attempt(execution, asked, { attempt, book });
    let error: ErrorData;
    try {
      const value = normalise(await (timeoutMs === undefined ? asked.effect(current) : current.within(timeoutMs)));
      return succeeded(value, attempt, book.charge.charge);
    } catch (thrown) {
      error = toErrorData(thrown);
    }
    const delay = nextDelay(retry, { error, attempt }, execution.settings.random());
    if (delay === undefined || !(await waitToRetry(execution, asked.unit, delay))) {
      return { ok: false, error, attempts: attempt, ...book.charge };
    }
  }
}

/** False when there is to be no further attempt, because the unit was cancelled or has ended meanwhile. */
function waitToRetry(execution: Execution, unit: Unit, milliseconds: number): Promise<boolean> {
  const { clock } = execution.engine;
  return new Promise((resolve) => {
    const stop = clock.callAt(clock.now() + milliseconds, () => {
      forget();
      resolve(true);
    });
    const forget = unit.whenAborted(() => {
      stop();
      resolve(false);
    });
  });
}

/** Spelled out, because objects made of spreads are kept in two pieces, and a long run keeps very many of these. */
function succeeded(value: JsonValue | undefined, attempts: number, charge: Charge | undefined): StepOutcome {
  if (value === undefined) return charge === undefined ? { ok: true, attempts } : { ok: true, attempts, charge };
  return charge === undefined ? { ok: true, value, attempts } : { ok: true, value, attempts, charge };
}

/** Collects what the attempts of a step cost. */
class Booking {
  #charge: Charge | undefined;

  add(charge: Charge): void {
    const old = this.#charge;
    if (old === undefined) {
      this.#charge = charge;
      return;
    }
    const counters: Record<string, number> = { ...old.counters };
    for (const [name, count] of Object.entries(charge.counters ?? {})) counters[name] = (counters[name] ?? 0) + count;
    const costUsd =
      old.costUsd === undefined || charge.costUsd === undefined ? undefined : old.costUsd + charge.costUsd;
    this.#charge = {
      inputTokens: (old.inputTokens ?? 0) + (charge.inputTokens ?? 0),
      outputTokens: (old.outputTokens ?? 0) + (charge.outputTokens ?? 0),
      ...(costUsd !== undefined && { costUsd }),
      ...((old.estimated === true || charge.estimated === true) && { estimated: true }),
      ...(Object.keys(counters).length > 0 && { counters }),
    };
  }

  get charge(): { readonly charge?: Charge } {
    return this.#charge === undefined ? {} : { charge: this.#charge };
  }
}

class Attempt implements StepAttempt {
  readonly attempt: number;
  readonly #execution: Execution;
  readonly #asked: Asked;
  readonly #book: Booking;
  #own: { readonly signal: AbortSignalLike; abort(reason?: unknown): void } | undefined;

  constructor(execution: Execution, asked: Asked, options: { readonly attempt: number; readonly book: Booking }) {
    this.#execution = execution;
    this.#asked = asked;
    this.attempt = options.attempt;
    this.#book = options.book;
  }

  get idempotencyKey(): string {
    const { unit, ordinal, key } = this.#asked;
    return `${this.#execution.session.identity.runId}:${unit.scope}:${ordinal}:${key}`;
  }

  get signal(): AbortSignalLike {
    return this.#own?.signal ?? this.#asked.unit.signal;
  }

  get clock(): Clock {
    return this.#execution.engine.clock;
  }

  // Getters, so that effects may take these out of the attempt; steps that do not ask for them pay nothing.
  get charge(): StepAttempt['charge'] {
    return (charge) => this.#book.add(charge);
  }

  get unseal(): StepAttempt['unseal'] {
    const { secrets } = this.#execution.settings;
    return secrets?.unseal ?? ((value) => value);
  }

  /** The effect, given up after a time; it is told through its signal, and what it still does is nobody's concern. */
  async within(milliseconds: number): Promise<unknown> {
    const own = new host.AbortController();
    this.#own = own;
    const { clock } = this.#execution.engine;
    const forget = this.#asked.unit.whenAborted((reason) => own.abort(reason));
    let stop: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      stop = clock.callAt(clock.now() + milliseconds, () => {
        const error = Object.assign(new Error(`The step ${this.#asked.key} took longer than ${milliseconds} ms.`), {
          name: 'TimeoutError',
          code: 'STEP_TIMEOUT',
        });
        own.abort(error);
        reject(error);
      });
    });
    try {
      return await Promise.race([this.#asked.effect(this), late]);
    } finally {
      stop();
      forget();
    }
  }
}

/** A once-step whose start is journalled and whose outcome is not: a person says what became of it; it is never repeated. */
async function confirmOutcome(execution: Execution, asked: Asked): Promise<unknown> {
  const { unit, ordinal, key } = asked;
  const refusal = execution.refusal(unit);
  if (refusal !== undefined) throw refusal;
  const answer = await execution.waits.confirm({ unit, ordinal, key });
  execution.begin();
  try {
    return await keep(execution, asked, confirmedOutcome(key, answer));
  } finally {
    execution.done();
  }
}

function confirmedOutcome(key: string, { decision, by, value }: ReceivedAnswer): StepOutcome {
  if (decision !== 'deny') return { ok: true, attempts: 1, ...(value !== undefined && { value }) };
  const message = `The effect of ${key} did not happen, as confirmed by ${by ?? 'someone'}.`;
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
