import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { isWithin, makePart, parseScope, withoutAttempt } from '../journal/scope-path.js';

/** The key of checkpoints that `drive` writes: they stand for everything before them. */
export const folded = 'folded';

/**
 * The last checkpoint of a scope that still holds. One behind something that was done again later, or is to be done again
 * now, has in it what that came to before.
 */
export function checkpointOf(
  history: readonly JournalEntry[],
  scope: string,
  reopened: ReadonlySet<string>,
): JournalEntry<'checkpointed'> | undefined {
  const before = openingOfReopened(history, scope, reopened);
  let again = Number.POSITIVE_INFINITY;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const entry = history[index] as JournalEntry;
    if (entry.scope !== scope) continue;
    if (entry.type === 'checkpointed' && entry.seq < before && entry.ordinal < again)
      return entry as JournalEntry<'checkpointed'>;
    if (wasDoneAgain(entry)) again = Math.min(again, entry.ordinal);
  }
  return undefined;
}

function wasDoneAgain({ type, data }: JournalEntry): boolean {
  return (type === 'scope_opened' || type === 'step_ended') && data.next !== undefined;
}

/** Where the first unit inside a scope was opened that a resume takes up; infinity when there is none. */
function openingOfReopened(history: readonly JournalEntry[], scope: string, reopened: ReadonlySet<string>): number {
  const inside = [...reopened].filter((path) => isWithin(path, scope) && path !== scope);
  if (inside.length === 0) return Number.POSITIVE_INFINITY;
  const depth = parseScope(scope).length;
  const names = new Set(inside.map((path) => withoutAttempt(parseScope(path)[depth] ?? '')));
  const visits = new Map<string, number>();
  for (const entry of history) {
    if (entry.type !== 'scope_opened' || entry.scope !== scope || entry.data.attempt > 1) continue;
    const { name } = entry.data;
    const visit = (visits.get(name) ?? 0) + 1;
    visits.set(name, visit);
    if (names.has(makePart({ name, visit }))) return entry.seq;
  }
  return Number.POSITIVE_INFINITY;
}

/** The checkpoint behind which a journal is whole, if it is not whole from the start. */
export function checkpointOfPart(history: readonly JournalEntry[]): JournalEntry<'checkpointed'> | undefined {
  const last = history.at(-1);
  if (last === undefined || last.seq === history.length) return undefined;
  const entry = history.findLast(({ type, scope, key }) => type === 'checkpointed' && scope === '' && key === folded);
  return entry as JournalEntry<'checkpointed'> | undefined;
}
