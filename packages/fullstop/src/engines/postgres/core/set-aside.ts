import type { Break } from '../../store/chain.js';
import type { Context } from './context.js';

interface DamagedRun {
  readonly id: number;
  /** The epoch in which it was read; absent where its row has been locked since. */
  readonly epoch?: number;
}

/**
 * Keeps a run that cannot be read from being claimed by workers, visibly and with the reason, so that the others continue.
 * Whoever claims it by its id looks at it anew. False where the run has changed hands since it was read: its parts were read one after
 * the other, and what another owner wrote in between makes no damage.
 */
export async function setAside(
  { sql, locked, writer }: Context,
  { id, epoch }: DamagedRun,
  { seq, reason }: Break,
): Promise<boolean> {
  const changed = await sql.run(
    `UPDATE @runs SET damaged_seq = $2, damage = $3, owner = NULL, epoch = epoch + 1,
     state = CASE WHEN state = 'running' THEN 'ready' ELSE state END WHERE id = $1 AND ($4::bigint IS NULL OR epoch = $4)`,
    [id, seq, reason, epoch ?? null],
  );
  locked.forget(id);
  writer.drop({ run: id, epoch: epoch ?? Number.POSITIVE_INFINITY });
  return changed > 0;
}
