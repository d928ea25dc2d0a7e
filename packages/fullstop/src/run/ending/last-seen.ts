import type { RunSession, RunSummary } from '../../engines/port/engine.js';

/** Where a trace of a run was last seen. */
export interface LastSeen {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly worker?: string;
}

export function lastSeenOf({ updatedAt, worker }: RunSummary): LastSeen {
  return { at: updatedAt, ...(worker !== undefined && { worker }) };
}

/** A run that nobody has begun yet cannot have been left: it waits for a worker. */
export function wasBegun({ history, segment, recoveries }: RunSession): boolean {
  const opening = (type: string): boolean => type === 'run_started' || type === 'segment_opened';
  return recoveries > 0 || history.some((entry) => entry.segment === segment && !opening(entry.type));
}
