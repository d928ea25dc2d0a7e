import { isObject, type JsonObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { causeChain } from '../../termination/root-cause.js';
import { isWithin } from '../journal/scope-path.js';

/**
 * The part of what a resume changes that is meant for a spawned run, in its own paths. A path is that of the unit that stands for it, one
 * inside that unit, or the place in the spawned run where its ending came from.
 */
export function changesInside(changes: JsonObject, scope: string, ending: AnyTermination): JsonObject {
  const cause = causeChain(ending).at(-1)?.child.path ?? '';
  const pathInside = (path: string): string | undefined => {
    if (path === scope) return cause;
    if (isWithin(path, scope)) return path.slice(scope.length + 1);
    return path === cause ? path : undefined;
  };
  const { limits, deadlines, changes: others } = changes;
  const inside = Object.entries(isObject(limits) ? limits : {}).flatMap(([path, limit]) => {
    const own = pathInside(path);
    return own === undefined ? [] : [[own, limit] as const];
  });
  const at = isObject(others) && typeof others['at'] === 'string' ? pathInside(others['at']) : undefined;
  return {
    ...(inside.length > 0 && { limits: Object.fromEntries(inside) as JsonObject }),
    ...(deadlines !== undefined && { deadlines }),
    ...(isObject(others) && at !== undefined && { changes: { ...others, at } }),
  };
}
