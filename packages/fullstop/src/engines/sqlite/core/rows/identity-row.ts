import { type Columns, integer, optional, text } from './columns.js';

/** The part of a row of the table of runs that identifies a run. */
export interface IdentityRow {
  readonly id: number;
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

export const identityColumns: Columns<IdentityRow> = {
  id: integer('id'),
  run_id: text('run_id'),
  name: text('name'),
  version: text('version'),
  parent_run: optional(text('parent_run')),
  parent_scope: optional(text('parent_scope')),
  conversation: optional(text('conversation')),
  turn: optional(integer('turn')),
  after_run: optional(text('after_run')),
  after_segment: optional(integer('after_segment')),
};

/** The facts that identify a run, as operations return them. */
interface StoredIdentity {
  readonly runId: string;
  readonly name: string;
  readonly version: string;
  readonly parentRun: string | null;
  readonly parentScope: string | null;
  readonly conversation: string | null;
  readonly turn: number | null;
  readonly afterRun: string | null;
  readonly afterSegment: number | null;
}

export function readIdentity(row: IdentityRow): StoredIdentity {
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
