import { lifeOf, type ProcessMark } from '../../../engines/sqlite/liveness.js';
import { isObject, type JsonValue } from '../../../termination/json.js';
import { endGroup } from './process-groups.js';

/**
 * Ends the programs that an earlier attempt has left behind, with everything in their process groups: its owner was killed,
 * and two of them must not work side by side. A later process with the same number is recognised by its start and left alone.
 */
export async function endOrphans(notes: readonly JsonValue[]): Promise<void> {
  const orphans = notes.filter(isMark).filter((mark) => lifeOf(mark) === 'alive');
  await Promise.all(orphans.map((mark) => endGroup(mark.pid)));
}

function isMark(note: JsonValue): note is JsonValue & ProcessMark {
  if (!isObject(note)) return false;
  const { host, space, pid, startedAt } = note;
  // Without its start a process cannot be told from a later one, and group 0 or 1 would be everything there is.
  const isKnown = typeof startedAt === 'string' && startedAt !== '';
  return isKnown && typeof host === 'string' && typeof space === 'string' && Number.isInteger(pid) && Number(pid) > 1;
}
