import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { isObject } from '../../termination/json.js';
import { isGroupKind, parseStepKey, startKey } from '../../workflow/graph/workflow-key.js';
import { isInGroup, type UnitTrack } from '../journal/units.js';
import type { SpanOfWork, SpanTree } from './span-tree.js';

/** The entry of a step of a workflow that has no unit of its own. */
type OutcomeEntry = EntryDraft<'recorded' | 'step_ended'>;

/** True for the entry with which a workflow begins. */
export function isWorkflowStart({ key, data }: EntryDraft<'recorded'>): boolean {
  return key === startKey && data.ok && isObject(data.value) && ('inputs' in data.value || 'problem' in data.value);
}

/** The span of a step without a unit of its own; undefined for anything else that a workflow journals, such as its routes. */
export function workflowStepSpan(
  { key = '', data }: OutcomeEntry,
  { step: announced }: Pick<UnitTrack, 'step'>,
  { from, to }: Pick<SpanOfWork, 'from' | 'to'>,
): SpanOfWork | undefined {
  // Types that others have added are known from what the workflow says about itself.
  const step = parseStepKey(key) ?? parseStepKey(key, (type) => type === announced?.kind);
  if (step === undefined) return undefined;
  const failure = failureOf(data);
  const attributes = { 'fullstop.step': step.unit, 'fullstop.step.type': step.type };
  const error = failure === undefined ? undefined : { type: failure, message: failure };
  return { name: 'fullstop.step', from, to, attributes, error };
}

/** The failure of a step: it threw, its templates had a problem, or it ends the workflow as failed. */
function failureOf(data: OutcomeEntry['data']): string | undefined {
  if (!data.ok) return data.error.name;
  if (!isObject(data.value)) return undefined;
  const { problem, status } = data.value;
  if (status === 'failed') return 'terminated';
  if (problem === undefined) return undefined;
  const error = isObject(problem) ? problem['error'] : undefined;
  return isObject(error) && typeof error['name'] === 'string' ? error['name'] : 'Error';
}

/** Follows what a workflow says about itself: a group of members is a span around them, a route an event, since it takes no time. */
export function observeWorkflow(
  unit: UnitTrack,
  { data, at }: EntryDraft<'observed'>,
  spans: SpanTree | undefined,
): void {
  const { type, step, kind, from, to } = data;
  if (type === 'step_started' && typeof step === 'string' && typeof kind === 'string') {
    unit.decidedAt = at;
    unit.step = { name: step, kind };
    if (isGroupKind(kind)) spans?.iteration(unit, at);
  } else if (type === 'group_completed' || type === 'step_failed') {
    if (!isInGroup(unit) || unit.step?.name !== step) return;
    spans?.endIteration(unit, at, type === 'step_failed' ? 'failed' : undefined);
    unit.step = undefined;
  } else if (type === 'route') spans?.event(unit, at, { name: 'fullstop.route', attributes: { from, to } as never });
}
