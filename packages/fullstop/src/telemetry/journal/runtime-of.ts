import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { isObject } from '../../termination/json.js';
import type { Runtime } from '../options.js';

/** The kind of definition that a run executes, as its first entries say; undefined where they do not. */
export function runtimeOf(entry: EntryDraft): Runtime | undefined {
  if (entry.scope !== '') return undefined;
  const key = entry.key ?? '';
  if (entry.type === 'observed') return typeof entry.data['point'] === 'string' ? 'agent' : undefined;
  if (/^(?:model|compact|opening|judging_\w+):\d+$/.test(key)) return 'agent';
  if (entry.type !== 'recorded' || !entry.data.ok) return undefined;
  const { value } = entry.data;
  if (key === 'pipeline' && isObject(value) && 'pipeline' in value) return 'pipeline';
  if (key.startsWith('cycle ')) return 'convergence';
  if (key === 'start' && isObject(value) && ('inputs' in value || 'problem' in value)) return 'workflow';
  return undefined;
}
