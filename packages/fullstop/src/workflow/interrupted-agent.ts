import { isModelKey } from '../agent/machine/agent-key.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { makeScope } from '../run/journal/scope-path.js';

/** The scope of the agent that asked a model last and has no ending: the one that was stopped with the run. */
export function interruptedAgent(journal: readonly JournalEntry[]): string | undefined {
  const ended = new Set<string>();
  for (const entry of journal.toReversed()) {
    const { scope, key = '' } = entry;
    if (entry.type === 'unit_ended' && entry.data.termination.kind !== 'cancelled') ended.add(makeScope(scope, key));
    else if (isModelKey(key) && !ended.has(scope)) return scope;
  }
  return undefined;
}
