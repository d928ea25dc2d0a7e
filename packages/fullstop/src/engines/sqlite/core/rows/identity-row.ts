import type { IdentityCells } from '../../../store/rows/run-identity.js';
import { type Columns, integer, optional, text } from './columns.js';

/** The part of a row of the table of runs that identifies a run. */
export interface IdentityRow extends IdentityCells {
  readonly id: number;
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
