import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { StopCondition } from '../../stop/condition.js';
import type { JsonObject } from '../../termination/json.js';
import type { AnswerRules } from './refuse-same-answer.js';

/** Whoever takes the changes of a resume in a unit, and the rules that it was made with. */
export interface ReceiverAtWork {
  readonly path: string;
  readonly stopWhen: readonly StopCondition<string>[];
  readonly answers: AnswerRules;
  /** Refuses changes that could never have an effect there. */
  check(changes: JsonObject, stopWhen: readonly StopCondition<string>[]): Promise<void>;
}

/** Knows who is at work in the unit at a path: an agent, or the one that it handed over to. */
export type ChangeReceiver = (path: string, journal: () => Promise<readonly JournalEntry[]>) => Promise<ReceiverAtWork>;

/** A member, not a map beside it: what it leads to would be kept until a full collection. */
const receiver: unique symbol = Symbol('change receiver');

export function receiveChanges(target: object, known: ChangeReceiver): void {
  Object.defineProperty(target, receiver, { value: known });
}

/** Who takes the changes for a definition, or for the work that executes it; undefined where nobody says. */
export function receiverOf(target: object): ChangeReceiver | undefined {
  return (target as { readonly [receiver]?: ChangeReceiver })[receiver];
}
