import type { JournalEntry } from '../engines/port/journal-entry.js';
import { isObject, type JsonObject } from '../termination/json.js';
import { isModelKey } from './machine/agent-key.js';

/** Options of a start that say how large the conversation is that it continues, so that it is compacted before its first call. */
export function makePromptTokens(tokens: number): JsonObject {
  return tokens > 0 ? { promptTokens: tokens } : {};
}

/** The size in the options of a start; 0 where they say none. */
export function readPromptTokens({ promptTokens }: JsonObject): number {
  return typeof promptTokens === 'number' && promptTokens > 0 ? promptTokens : 0;
}

/** The size of the conversation after the last answer in a journal: the prompt of that call and the answer. */
export function sizeAfter(journal: readonly JournalEntry[]): number {
  for (const entry of journal.toReversed()) {
    if (entry.type !== 'step_ended' || entry.scope !== '' || !isModelKey(entry.key ?? '') || !entry.data.ok) continue;
    const { value } = entry.data;
    const charge = isObject(value) ? value['charge'] : undefined;
    if (isObject(charge)) return countOf(charge['inputTokens']) + countOf(charge['outputTokens']);
  }
  return 0;
}

function countOf(tokens: unknown): number {
  return typeof tokens === 'number' ? tokens : 0;
}
