import { isModelKey } from '../agent/machine/agent-key.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { makeScope } from '../run/journal/scope-path.js';
import { promptKey, reviewedUnits } from './graph/workflow-key.js';

/** The scope of the agent that began or asked a model last and has no ending: the one that was stopped with the run. */
export function interruptedAgent(journal: readonly JournalEntry[]): string | undefined {
  const ended = new Set<string>();
  for (const entry of journal.toReversed()) {
    const { scope, key = '' } = entry;
    if (entry.type === 'unit_ended' && entry.data.termination.kind !== 'cancelled') ended.add(makeScope(scope, key));
    const asker = askerIn(entry);
    if (asker !== undefined && !ended.has(asker)) return asker;
  }
  return undefined;
}

/** The scope of the agent that an entry is of: its call, its beginning, or that of the step around it. */
function askerIn({ type, scope, key = '' }: JournalEntry): string | undefined {
  if (isModelKey(key) || (type === 'recorded' && key === promptKey)) return scope;
  return type === 'scope_opened' && agentsInside.has(key) ? makeScope(scope, key) : undefined;
}

const { agent, afterDialog, afterValidation } = reviewedUnits;
const agentsInside: ReadonlySet<string> = new Set([agent, afterDialog, afterValidation]);
