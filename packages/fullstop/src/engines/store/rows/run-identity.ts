import type { StoredRun } from '../operations.js';

/** The part of a row of the table of runs that identifies a run. */
export interface IdentityCells {
  readonly run_id: string;
  readonly name: string;
  readonly version: string;
  readonly parent_run: string | null;
  readonly parent_scope: string | null;
  readonly conversation: string | null;
  readonly turn: number | null;
  readonly after_run: string | null;
  readonly after_segment: number | null;
}

/** The facts that identify a run, as operations return them. */
export function readIdentity(row: IdentityCells): StoredRun {
  return {
    runId: row.run_id,
    name: row.name,
    version: row.version,
    parentRun: row.parent_run,
    parentScope: row.parent_scope,
    conversation: row.conversation,
    turn: row.turn,
    afterRun: row.after_run,
    afterSegment: row.after_segment,
  };
}
