import type { JournalEntry, StepOutcome } from '../../engines/port/journal-entry.js';
import { assertNever } from '../../termination/assert-never.js';
import { lastOf, lastStepOf, type Slot } from '../replay/replay.js';
import type { MachineEffect, MachineObservation } from './machine.js';

/** The outcome of an effect in the journal. */
export interface JournalledOutcome {
  readonly seq: number;
  readonly at: number;
  /** Where the scope continues after it, if it was done again in a later segment. */
  readonly next?: number | undefined;
  readonly observe: (at: number) => MachineObservation;
}

/** How an effect came out, if it has; a member that the stop of its batch kept from starting is observed at the stop. */
export function findOutcome(
  slot: Slot | undefined,
  { type, key }: MachineEffect<unknown>,
  stop: JournalEntry<'batch_stopped'> | undefined,
): JournalledOutcome | undefined {
  if (stop?.data.notStarted.includes(key) === true)
    return { seq: stop.seq, at: stop.at, observe: (at) => ({ type: 'not_started', key, at }) };
  switch (type) {
    case 'step':
      return stepOutcome(lastStepOf(slot), key);
    case 'record':
      return stepOutcome(lastOf(slot, 'recorded'), key);
    case 'request':
      return answerOutcome(slot, key);
    case 'unit':
      return unitOutcome(slot, key);
    case 'sleep':
      return sleepOutcome(slot, key);
    default:
      return assertNever('Unknown effect', type);
  }
}

function stepOutcome(
  entry: JournalEntry<'step_ended'> | JournalEntry<'recorded'> | undefined,
  key: string,
): JournalledOutcome | undefined {
  if (entry === undefined) return undefined;
  const { data, seq, at } = entry;
  return { seq, at, next: data.next, observe: (now) => observeOutcome(key, data, now) };
}

/** The observation of a step or record. */
export function observeOutcome(key: string, outcome: StepOutcome, at: number): MachineObservation {
  if (outcome.ok) return { type: 'value', key, value: outcome.value, at };
  const { error, outcomeUnknown = false, refusal } = outcome;
  return { type: 'error', key, error, outcomeUnknown, ...(refusal !== undefined && { refusal }), at };
}

function answerOutcome(slot: Slot | undefined, key: string): JournalledOutcome | undefined {
  const entry = lastOf(slot, 'request_answered');
  if (entry === undefined) return undefined;
  const { answer } = entry.data;
  return { seq: entry.seq, at: entry.at, observe: (at) => ({ type: 'answer', key, answer, at }) };
}

function unitOutcome(slot: Slot | undefined, key: string): JournalledOutcome | undefined {
  const entry = lastOf(slot, 'unit_ended');
  const opened = lastOf(slot, 'scope_opened');
  // A later segment may have resumed it and not be finished.
  if (entry === undefined || (opened !== undefined && opened.seq > entry.seq)) return undefined;
  const { termination, also = [], output, used } = entry.data;
  const result = { termination, also, ...(output !== undefined && { output }), ...(used !== undefined && { used }) };
  const observe = (at: number): MachineObservation => ({ type: 'unit', key, result, at });
  return { seq: entry.seq, at: entry.at, next: opened?.data.next, observe };
}

function sleepOutcome(slot: Slot | undefined, key: string): JournalledOutcome | undefined {
  const entry = lastOf(slot, 'sleep_ended');
  return entry && { seq: entry.seq, at: entry.at, observe: (at) => ({ type: 'slept', key, at }) };
}
