import type { WorkflowDocument } from '../schema/document.js';
import type { TextUse } from './text-uses.js';

/** The names besides steps and groups that a text can use. */
export function scopeOfUse(use: TextUse, document: WorkflowDocument): readonly string[] {
  const { path, forEach } = use;
  const names = ['workflow', 'context', '_context_summary'];
  if (path.includes('routes') || path.includes('on_error')) names.push('output');
  if (path.includes('on_error') || hasErrorRoutes(document)) names.push('ending', 'error');
  if (path[1] === 'hooks') names.push(path[2] === 'on_complete' ? 'result' : 'error');
  if (forEach !== undefined && path[2] === 'agent') names.push(forEach.as, '_index', '_key');
  return names;
}

/** Behind an error route every step may look at the failure. */
function hasErrorRoutes({ agents, parallel, for_each: groups }: WorkflowDocument): boolean {
  return [...agents, ...parallel, ...groups].some((unit) => 'on_error' in unit && unit.on_error.length > 0);
}
