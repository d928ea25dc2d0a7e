import { addCharges } from '../../engines/port/add-charges.js';
import type { Clock } from '../../engines/port/clock.js';
import type { AbortSignalLike } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import type { Charge } from '../../engines/port/usage.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { Room } from '../accounts/share.js';
import { checkCharge } from '../check-step-options.js';
import { idempotencyKey } from '../journal/operation-key.js';
import type { StepAttempt } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import { normalise } from './normalise.js';
import { regainRun } from './regain-run.js';
import { endingIn } from './step-admission.js';
import type { AskedStep } from './step-call.js';
import { failedOutcome, writeOutcome } from './step-outcome.js';
import { batchStopped } from './stopping.js';
import type { Unit, UnitAbortListener } from './unit.js';

const noLimits: Room = { tokens: undefined, cost: undefined };
const segmentOver = new Error('The segment is over.');

export class Attempt implements StepAttempt, UnitAbortListener {
  readonly attempt: number;
  readonly #execution: Execution;
  readonly #asked: AskedStep;
  #own: { readonly signal: AbortSignalLike; abort(reason?: unknown): void } | undefined;

  constructor(execution: Execution, asked: AskedStep) {
    this.#execution = execution;
    this.#asked = asked;
    asked.attempts += 1;
    this.attempt = asked.attempts;
  }

  /** True once an attempt was aborted; does not make its signal, which most effects never read. */
  static isAborted(attempt: StepAttempt): boolean {
    const source = Attempt.abortSource(attempt);
    return 'isAborted' in source ? source.isAborted : source.aborted;
  }

  /** Where the abort of an attempt is heard of: its unit, which is much cheaper to listen to than a signal, unless it may be aborted alone. */
  static abortSource(attempt: StepAttempt): Unit | AbortSignalLike {
    return #asked in attempt && attempt.#own === undefined ? attempt.#asked.unit : attempt.signal;
  }

  /** The least that the limits around a step have left for it. */
  static roomOf(attempt: StepAttempt): Room {
    if (!(#asked in attempt)) return noLimits;
    const asked = attempt.#asked;
    asked.room ??= asked.unit.ledger.room();
    return asked.room;
  }

  /** The ending that the unit of a step comes to when a limit around it has no more room after a charge. */
  static endingBy(attempt: StepAttempt, resource: keyof Room, charge: Charge): AnyTermination | undefined {
    const ledger = Attempt.roomOf(attempt)[resource]?.ledger;
    if (ledger === undefined || !(#asked in attempt)) return undefined;
    return endingIn(attempt.#asked.unit, ledger, ledger.endingWith(resource, charge));
  }

  get idempotencyKey(): string {
    const { unit, ordinal, key } = this.#asked;
    const { runId } = this.#execution.session.identity;
    return idempotencyKey({ runId, scope: unit.scope, ordinal, key });
  }

  get signal(): AbortSignalLike {
    return this.#own?.signal ?? this.#asked.unit.signal;
  }

  get clock(): Clock {
    return this.#execution.engine.clock;
  }

  get providers(): StepAttempt['providers'] {
    return this.#execution.engine.providers;
  }

  // Getters, so that effects may take these out of the attempt; steps that do not ask for them pay nothing.
  get charge(): StepAttempt['charge'] {
    return (charge) => this.#charge(charge);
  }

  #charge(charge: Charge): void {
    const asked = this.#asked;
    checkCharge(charge, asked.key, 'charge');
    asked.charge = asked.charge === undefined ? charge : addCharges(asked.charge, charge);
    if (asked.unit.isEnding) this.onAbort();
    else if (asked.cutListener === undefined && !asked.unit.isAborted) {
      asked.cutListener = this;
      asked.unit.addAbortListener(this);
    }
  }

  /** Its unit is ended from outside, and it has cost something. */
  onAbort(): void {
    chargeCutStep(this.#execution, this.#asked);
  }

  get notes(): StepAttempt['notes'] {
    const { entries = [] } = this.#asked.slot ?? {};
    return entries.flatMap((entry) => (entry.type === 'step_noted' ? [entry.data.note] : []));
  }

  get note(): StepAttempt['note'] {
    const { unit, ordinal, key } = this.#asked;
    const { journal, state } = this.#execution;
    return async (note) => {
      if (state.closed || unit.isEnding) return;
      const data = journal.seal({ attempt: this.attempt, note: normalise(note) ?? null });
      journal.append<'step_noted'>({ type: 'step_noted', scope: unit.scope, ordinal, key, data });
      await journal.commit();
    };
  }

  get unseal(): StepAttempt['unseal'] {
    const { secrets } = this.#execution.settings;
    return secrets?.unseal ?? ((value) => value);
  }

  perform(): unknown {
    const holding = this.#execution.session.hold?.();
    return holding === undefined ? this.#performNow() : this.#performOnceHeld(holding);
  }

  /** A step of a run that was lost meanwhile fails here, and nobody hears of it. */
  async #performOnceHeld(holding: Promise<void>): Promise<unknown> {
    const { unit } = this.#asked;
    if (!(await regainRun(this.#execution, unit, holding))) throw segmentOver;
    const refusal = this.#execution.state.refusalFor(unit);
    if (refusal !== undefined) throw refusal;
    return this.#performNow();
  }

  #performNow(): unknown {
    const { effect, options, watch } = this.#asked;
    const isGuarded = options.timeoutMs !== undefined || watch?.stopping !== undefined;
    return isGuarded ? this.#performGuarded() : effect(this);
  }

  /** The effect, given up after a time or with its batch; its signal says so, and what it still does has no consequence. */
  async #performGuarded(): Promise<unknown> {
    const { effect, key, options, unit, watch } = this.#asked;
    const own = new host.AbortController();
    this.#own = own;
    const { clock } = this.#execution.engine;
    const stops = [unit.whenAborted((reason) => own.abort(reason))];
    const givenUp = new Promise<never>((_, reject) => {
      const giveUp = (error: Error): void => {
        own.abort(error);
        reject(error);
      };
      const { timeoutMs } = options;
      if (timeoutMs !== undefined)
        stops.push(clock.callAt(clock.now() + timeoutMs, () => giveUp(tookTooLong(key, timeoutMs))));
      const { stopping } = watch ?? {};
      if (stopping !== undefined) stops.push(stopping.whenStopped(() => giveUp(new Error(batchStopped(key).message))));
    });
    try {
      return await Promise.race([effect(this), givenUp]);
    } finally {
      for (const stop of stops) stop();
    }
  }
}

/**
 * Journals what a step has cost when its unit is ended from outside. The unit aborts its effects just before its ending is
 * written, and what they report then is all that will ever be known: a step that was cut off has no other outcome.
 */
function chargeCutStep(execution: Execution, asked: AskedStep): void {
  const { unit, key } = asked;
  if (asked.hasOutcome || !unit.isEnding || execution.state.closed) return;
  const error = { name: 'StepCutOff', message: `The step ${key} was cut off with its unit.`, code: 'STEP_CUT_OFF' };
  writeOutcome(execution, asked, execution.journal.seal({ ...failedOutcome(error, asked), stopped: true }));
}

function tookTooLong(key: string, milliseconds: number): Error {
  return Object.assign(new Error(`The step ${key} took longer than ${milliseconds} ms.`), {
    name: 'TimeoutError',
    code: 'STEP_TIMEOUT',
  });
}
