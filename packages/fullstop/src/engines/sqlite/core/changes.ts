import type { InputOf, OutputOf } from '../../store/operations.js';
import type { Context } from './context.js';
import { integer, optional, text } from './rows/columns.js';

const headColumns = { head: optional(integer('max(id)')) };
const runColumns = { run_id: text('run_id') };

/** The runs with entries after a place in the order of all entries, whoever appended them. */
export function changes({ connection }: Context, { after, limit }: InputOf<'changes'>): OutputOf<'changes'> {
  const at = connection.select(headColumns, 'FROM journal').get()?.head ?? 0;
  if (after === null || after === at) return { at, runIds: [], complete: true };
  // Entries were removed, and their places may be given again: what changed since then cannot be told.
  if (after > at) return { at, runIds: [], complete: false };
  const found = connection
    .select(runColumns, 'FROM runs WHERE id IN (SELECT run FROM journal WHERE id > ? AND id <= ?) LIMIT ?')
    .all(after, at, limit + 1);
  return { at, runIds: found.slice(0, limit).map(({ run_id }) => run_id), complete: found.length <= limit };
}
