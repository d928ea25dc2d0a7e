import type { InputOf, OutputOf } from '../../store/operations.js';
import type { Context } from './context.js';

/**
 * The runs with entries after a place, whoever appended them. The place is the oldest transaction that is under way: what is older is
 * settled, and what is not will be found by the next question.
 */
export async function changes({ sql }: Context, { after, limit }: InputOf<'changes'>): Promise<OutputOf<'changes'>> {
  const place = await sql.row<{ at: number; removed: number }>(
    'SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS at, (SELECT max(tx) FROM @removed) AS removed',
  );
  const { at = 0, removed = 0 } = place ?? {};
  if (after === null || after === at) return { at, runIds: [], complete: true };
  // A store that was restored elsewhere counts its transactions anew.
  if (after > at) return { at, runIds: [], complete: false };
  const found = await sql.rows<{ run_id: string }>(
    'SELECT run_id FROM @runs WHERE id IN (SELECT run FROM @journal WHERE tx >= $1 AND tx < $2) LIMIT $3',
    [after, at, limit + 1],
  );
  const runIds = found.slice(0, limit).map(({ run_id: runId }) => runId);
  return { at, runIds, complete: found.length <= limit && removed < after };
}
