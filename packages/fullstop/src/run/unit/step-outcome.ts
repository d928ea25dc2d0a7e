import type { StepOutcome } from '../../engines/port/journal-entry.js';
import type { ReceivedAnswer } from '../../engines/port/request.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { StepFailed } from '../errors.js';
import type { Execution } from '../segment/execution.js';
import { normalise } from './normalise.js';
import type { AskedStep } from './step-call.js';
import { batchStopped } from './stopping.js';

/** Returns the value of an outcome to the body, or throws its failure. */
export function resultOf(key: string, outcome: StepOutcome): JsonValue | undefined {
  if (outcome.ok) return outcome.value;
  throw new StepFailed(key, outcome.error, outcome);
}

/** Spelled out, because objects made of spreads are kept in two pieces, and a long run keeps very many of these. */
export function succeededOutcome(value: unknown, { attempts, charge, watch }: AskedStep): StepOutcome {
  const json = watch?.isJson === true ? (value as JsonValue) : normalise(value);
  if (json === undefined) return charge === undefined ? { ok: true, attempts } : { ok: true, attempts, charge };
  return charge === undefined ? { ok: true, value: json, attempts } : { ok: true, value: json, attempts, charge };
}

export function failedOutcome(error: ErrorData, { attempts, charge }: AskedStep): Extract<StepOutcome, { ok: false }> {
  return { ok: false, error, attempts, ...(charge !== undefined && { charge }) };
}

/** The outcome of a step that was stopped with its batch. Nobody knows how far the effect of a once-step had come. */
export function stoppedOutcome(asked: AskedStep): StepOutcome {
  const outcome = { ...failedOutcome(batchStopped(asked.key), asked), attempts: Math.max(1, asked.attempts) };
  return asked.options.once === true ? { ...outcome, outcomeUnknown: true } : outcome;
}

/** The outcome of a step that no budget has room for. */
export function refusedOutcome(key: string, refusal: AnyTermination): StepOutcome {
  const message = `${key} was not performed: a budget has no room for what it may use.`;
  return { ok: false, error: { name: 'BudgetRefused', message, code: 'BUDGET_REFUSED' }, attempts: 0, refusal };
}

/** The outcome of a once-step, as a person has confirmed it. */
export function confirmedOutcome(name: string, { decision, by, value }: ReceivedAnswer): StepOutcome {
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

/** Journals the one outcome of a step, sealed already, and books its cost. Returns its time. */
export function writeOutcome({ journal }: Execution, asked: AskedStep, outcome: StepOutcome): number {
  const { unit, ordinal, key } = asked;
  const at = journal.now();
  asked.hasOutcome = true;
  journal.append<'step_ended'>({ type: 'step_ended', scope: unit.scope, ordinal, key, at, data: outcome });
  unit.ledger.book(outcome.charge);
  // Now that its cost is booked, others need not wait until the body has heard of it.
  asked.giveBack?.();
  return at;
}
