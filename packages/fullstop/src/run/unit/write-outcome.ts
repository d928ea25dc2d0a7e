import type { StepOutcome } from '../../engines/port/journal-entry.js';
import type { Execution } from '../segment/execution.js';
import type { AskedStep } from './step-call.js';

/** Journals the one outcome of a step, sealed already, and books its cost. Returns its time. */
export function writeOutcome({ journal }: Execution, asked: AskedStep, outcome: StepOutcome): number {
  const { unit, ordinal, key } = asked;
  const at = journal.now();
  asked.hasOutcome = true;
  journal.append<'step_ended'>({ type: 'step_ended', scope: unit.scope, ordinal, key, at, data: outcome });
  unit.ledger.book(outcome.charge);
  return at;
}
