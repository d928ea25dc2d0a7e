import type { JournalEntry, StepOutcome } from '../../engines/port/journal-entry.js';
import { assertNever } from '../../termination/assert-never.js';
import { lastOf, lastStepOf, type Replay, type Slot } from '../replay/replay.js';
import type { Effect, Observation } from './machine.js';

/** An effect that a machine has asked for, and its place in the journal. */
export interface Started {
  readonly effect: Effect<unknown>;
  readonly ordinal: number;
  /** The stop of its batch. */
  readonly stop: JournalEntry<'batch_stopped'> | undefined;
  /** True when nothing goes on beside it: then it is observed when its unit comes to it, and not when it came out. */
  readonly isAlone: boolean;
}

/** What the journal holds of how it came out. */
export interface Arrived extends Started {
  readonly seq: number;
  readonly at: number;
  /** Where the scope goes on behind it, if it was done again in a later segment. */
  readonly next: number | undefined;
  readonly observation: (at: number) => Observation;
}

type Outcome = Pick<Arrived, 'seq' | 'at' | 'observation'> & { readonly next?: number | undefined };

/** How an effect came out, if it has. */
export function arrivedOf(replay: Replay, task: Started): readonly Arrived[] {
  const slot = replay.slot('', task.ordinal);
  const outcome = notStarted(task) ?? outcomeOf(slot, task.effect);
  return outcome === undefined ? [] : [{ ...task, next: undefined, ...outcome }];
}

function outcomeOf(slot: Slot | undefined, { type, key }: Effect<unknown>): Outcome | undefined {
  switch (type) {
    case 'step':
      return stepOutcome(lastStepOf(slot), key);
    case 'record':
      return stepOutcome(lastOf(slot, 'recorded'), key);
    case 'request':
      return answerOf(slot, key);
    case 'unit':
      return unitOutcome(slot, key);
    case 'sleep':
      return sleepOutcome(slot, key);
    default:
      return assertNever('Unknown effect', type);
  }
}

function notStarted({ effect: { key }, stop }: Started): Outcome | undefined {
  if (stop === undefined || !stop.data.notStarted.includes(key)) return undefined;
  return { seq: stop.seq, at: stop.at, observation: (at) => ({ type: 'not_started', key, at }) };
}

function stepOutcome(
  entry: JournalEntry<'step_ended'> | JournalEntry<'recorded'> | undefined,
  key: string,
): Outcome | undefined {
  if (entry === undefined) return undefined;
  const { data, seq, at } = entry;
  return { seq, at, next: data.next, observation: (now) => observationOfOutcome(key, data, now) };
}

/** The outcome of a step or record, as the machine is told of it. */
export function observationOfOutcome(key: string, outcome: StepOutcome, at: number): Observation {
  if (outcome.ok) return { type: 'value', key, value: outcome.value, at };
  const { error, outcomeUnknown = false, refusal } = outcome;
  return { type: 'error', key, error, outcomeUnknown, ...(refusal !== undefined && { refusal }), at };
}

function answerOf(slot: Slot | undefined, key: string): Outcome | undefined {
  const entry = lastOf(slot, 'request_answered');
  if (entry === undefined) return undefined;
  const { answer } = entry.data;
  return { seq: entry.seq, at: entry.at, observation: (at) => ({ type: 'answer', key, answer, at }) };
}

function unitOutcome(slot: Slot | undefined, key: string): Outcome | undefined {
  const entry = lastOf(slot, 'unit_ended');
  const opened = lastOf(slot, 'scope_opened');
  // A later segment may have taken it up, and not be through.
  if (entry === undefined || (opened !== undefined && opened.seq > entry.seq)) return undefined;
  const { termination, also = [], output } = entry.data;
  const result = { termination, also, ...(output !== undefined && { output }) };
  const observation = (at: number): Observation => ({ type: 'unit', key, result, at });
  return { seq: entry.seq, at: entry.at, next: opened?.data.next, observation };
}

function sleepOutcome(slot: Slot | undefined, key: string): Outcome | undefined {
  const entry = lastOf(slot, 'sleep_ended');
  return entry && { seq: entry.seq, at: entry.at, observation: (at) => ({ type: 'slept', key, at }) };
}
