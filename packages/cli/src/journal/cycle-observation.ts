import type { JsonValue } from 'fullstop';
import type { JournalEntry } from 'fullstop/journal';
import { parseCycleKey } from 'fullstop/journal';

/** The result of a merge of a convergence, as its one entry says. */
export interface CycleObservation {
  readonly cycle: number;
  /** All facts after it. */
  readonly facts: number;
  /** Proposals that found no room in the fact budget. */
  readonly held: number;
  readonly promoted: number;
  readonly rejected: number;
  /** The suggestors that had something to do next. */
  readonly awake: readonly string[];
  /** True where people had to decide before anything else was weighed. */
  readonly waits: boolean;
}

/** Reads the entry of a merge, if that is what it is. */
export function cycleObservation(entry: JournalEntry): CycleObservation | undefined {
  return entry.type === 'recorded' && entry.data.ok ? cycleIn(entry.key ?? '', entry.data.value) : undefined;
}

function cycleIn(key: string, value: JsonValue | undefined): CycleObservation | undefined {
  if (parseCycleKey(key) === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    return undefined;
  const { cycle, facts, held, promoted, exceptions, awake, rest } = value as { readonly [name: string]: JsonValue };
  const isCycle = [cycle, facts, held].every((each) => typeof each === 'number');
  if (!isCycle || !Array.isArray(promoted) || !Array.isArray(exceptions) || !Array.isArray(awake)) return undefined;
  const types = exceptions.map((each) => (each as { readonly type?: unknown } | null)?.type);
  const isGated = types.some((type) => type === 'gated' || type === 'reopened');
  return {
    cycle: cycle as number,
    facts: facts as number,
    held: held as number,
    promoted: promoted.length,
    rejected: types.filter((type) => type === 'rejected').length,
    awake: awake as readonly string[],
    waits: isGated && awake.length === 0 && rest === false,
  };
}
