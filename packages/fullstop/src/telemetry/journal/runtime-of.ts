import { isAgentKey } from '../../agent/machine/agent-key.js';
import { parseCycleKey } from '../../convergence/machine/convergence-key.js';
import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { isObject } from '../../termination/json.js';
import { startKey } from '../../workflow/graph/workflow-key.js';
import type { RunType } from '../options.js';

/** The kind of definition that a run executes, as its first entries say; undefined where they do not. */
export function runtimeOf(entry: EntryDraft): RunType | undefined {
  if (entry.scope !== '') return undefined;
  const key = entry.key ?? '';
  if (entry.type === 'observed') return typeof entry.data['point'] === 'string' ? 'agent' : undefined;
  if (isAgentKey(key)) return 'agent';
  if (entry.type !== 'recorded' || !entry.data.ok) return undefined;
  const { value } = entry.data;
  if (key === 'pipeline' && isObject(value) && 'pipeline' in value) return 'pipeline';
  if (parseCycleKey(key) !== undefined) return 'convergence';
  if (key === startKey && isObject(value) && ('inputs' in value || 'problem' in value)) return 'workflow';
  return undefined;
}
