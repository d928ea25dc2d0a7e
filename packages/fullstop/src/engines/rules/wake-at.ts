import type { Ending } from '../../termination/ending.js';
import { isObject } from '../../termination/json.js';
import type { Envelope } from '../port/envelope.js';

/** When the first deadline passes among what a paused ending waits for. Requests that it does not list wake nobody. */
export function wakeAtOf({ termination }: Pick<Envelope<Ending>, 'termination'>): number | undefined {
  const { gates, requests } = termination as { readonly gates?: unknown; readonly requests?: unknown };
  const deadlines = [gates, requests].flatMap(pendingOf).flatMap(({ deadline }) => {
    const instant = typeof deadline === 'string' ? Date.parse(deadline) : Number.NaN;
    return Number.isNaN(instant) ? [] : [instant];
  });
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

interface Pending {
  readonly deadline?: unknown;
}

/** Kinds of others may have fields of these names that mean something else. */
function pendingOf(list: unknown): readonly Pending[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
