import type { Break } from '../../store/chain.js';
import type { Damage } from '../../store/operations.js';
import type { Context } from './context.js';

/**
 * Keeps a run that cannot be read from being claimed by workers, visibly and with the reason, so that the others continue.
 * Whoever claims it by its id looks at it anew.
 */
export function setAside(
  { connection, epochs, writer }: Context,
  { id, run_id: runId }: { readonly id: number; readonly run_id: string },
  { seq, reason }: Break,
): Damage {
  connection
    .sql(
      `UPDATE runs SET damaged_seq = ?, damage = ?, owner = NULL, epoch = epoch + 1,
       state = CASE WHEN state = 'running' THEN 'ready' ELSE state END WHERE id = ?`,
    )
    .run(seq, reason, id);
  epochs.forget(id);
  writer.drop(id);
  return { runId, seq, reason };
}
