import { makePromptTokens } from '../agent/prompt-tokens.js';
import type { EntryData } from '../engines/port/journal-entry.js';
import type { ModelMessage } from '../models/message.js';
import type { JsonObject } from '../termination/json.js';

// How the start of a turn is written and read: its run id, and which of its messages are new.

/** The run of a turn. Whoever starts the same turn of a conversation makes the same id, so that one of them wins. */
export function makeTurnId(conversation: string, turn: number): string {
  return `${conversation}/turn-${turn}`;
}

/** Options of a start that say how many of the last messages of its input were said in this turn, and how large the others are. */
export function makeTurnOptions(said: number, promptTokens: number): JsonObject {
  return { said, ...makePromptTokens(promptTokens) };
}

/** The messages that a turn was started with: the conversation so far, and what was said in this turn. */
export interface TurnStart {
  readonly before: readonly ModelMessage[];
  readonly said: readonly ModelMessage[];
}

/** Reads the first entry of the run of a turn. */
export function readTurnStart({ input, options }: EntryData['run_started']): TurnStart {
  const messages = (Array.isArray(input) ? input : []) as unknown as readonly ModelMessage[];
  const said = options?.['said'];
  const from = messages.length - (typeof said === 'number' ? said : messages.length);
  return { before: messages.slice(0, from), said: messages.slice(from) };
}
