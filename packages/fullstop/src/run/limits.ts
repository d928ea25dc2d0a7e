import { found } from '../termination/check.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import { isObject, type JsonObject } from '../termination/json.js';

/** The limits of a run, or of a unit inside it. A limit is a positive number or absent; 0 is refused. */
export interface RunLimits {
  readonly steps?: number;
  /** Active time in milliseconds: human waits and downtime do not count. */
  readonly timeMs?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  /** An instant in milliseconds since 1970 by which it must be through: waits and downtime count too. */
  readonly deadline?: number;
}

export const limitNames: readonly (keyof RunLimits)[] = ['steps', 'timeMs', 'tokens', 'costUsd', 'deadline'];

/** Refuses limits that mean nothing, before anything has started. */
export function checkLimits(limits: RunLimits, where: string): RunLimits {
  if (!isObject(limits as unknown))
    throw new FullstopError(
      'INVALID_LIMIT',
      `${where}: limits is ${found(limits)}; it must be an object with ${limitNames.join(', ')}.`,
    );
  for (const [name, value] of Object.entries(limits)) {
    if (!limitNames.includes(name as keyof RunLimits)) {
      throw new FullstopError(
        'INVALID_LIMIT',
        `${where} has no limit named ${name}; there are ${limitNames.join(', ')}.`,
      );
    }
    const isCount = name === 'steps' || name === 'tokens';
    const isLimit = isCount ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (value === undefined || (isLimit && value > 0)) continue;
    throw new FullstopError(
      'INVALID_LIMIT',
      `${where}: the limit ${name} is ${found(value)}; it must be a ${isCount ? 'whole ' : ''}number above 0. Leave it out for no limit.`,
    );
  }
  return limits;
}

/** New limits over old ones: the same name replaces, `null` removes. */
export function mergeLimits(old: RunLimits, change: LimitChange): RunLimits {
  const merged: Record<string, number> = {};
  for (const name of limitNames) {
    const value = change[name] === undefined ? old[name] : change[name];
    if (value !== undefined && value !== null) merged[name] = value;
  }
  return merged;
}

/** Limits to set on resume; `null` takes one away. */
export type LimitChange = { readonly [K in keyof RunLimits]?: RunLimits[K] | null };

/** The limits that the options of a segment set for the unit at a path. */
export function limitsAt(options: JsonObject, path: string): LimitChange {
  const { limits } = options;
  const change = isObject(limits) ? limits[path] : undefined;
  return isObject(change) ? (change as LimitChange) : {};
}
