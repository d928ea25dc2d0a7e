import type { Operation } from '../../store/operations.js';
import { type Context, type RunRow, runColumns } from './context.js';

/** The runs that operations name, by the number of their row or by their id. */
interface NamedRuns {
  readonly ids: readonly number[];
  readonly runIds: readonly string[];
}

function namedBy(batch: readonly Operation[]): NamedRuns {
  const ids: number[] = [];
  const runIds: string[] = [];
  for (const { name, input } of batch) {
    switch (name) {
      case 'append':
      case 'conclude':
      case 'expire':
      case 'park':
        ids.push(input.claim.run);
        break;
      case 'release':
        ids.push(...input.claims.map(({ run }) => run));
        break;
      case 'answer':
      case 'cancel':
      case 'claim':
      case 'erase':
      case 'reopen':
        runIds.push(input.runId);
        break;
      case 'importRun':
      case 'start':
        runIds.push(input.run.runId);
        break;
      default:
        break;
    }
  }
  return { ids, runIds };
}

/** Locks the runs of a batch, all at once and in one order: so two transactions never wait for each other. */
export async function lockRuns({ sql, locked, newIds, writer }: Context, batch: readonly Operation[]): Promise<void> {
  const { ids, runIds } = namedBy(batch);
  const starts = batch.filter(({ name }) => name === 'start' || name === 'importRun').length;
  const [rows, numbers] = await Promise.all([
    ids.length + runIds.length === 0
      ? []
      : sql.rows<RunRow>(
          `SELECT ${runColumns} FROM @runs WHERE id = ANY($1::bigint[]) OR run_id = ANY($2::text[]) ORDER BY id FOR UPDATE`,
          [ids, runIds],
        ),
    starts === 0
      ? []
      : sql.rows<{ id: number }>(
          "SELECT nextval(pg_get_serial_sequence($1, 'id')) AS id FROM generate_series(1, $2::int)",
          [`"${writer.schema}".runs`, starts],
        ),
    writer.findLost(ids),
  ]);
  newIds.push(...numbers.map(({ id }) => id));
  for (const row of rows) locked.add(row);
  for (const runId of runIds) if (!locked.knows(runId)) locked.missing(runId);
}
