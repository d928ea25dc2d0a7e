import type { StoredEntry } from '../../store/operations.js';
import type { StoredParts } from '../../store/run-misfits.js';
import type { Context } from './context.js';
import { integer } from './rows/columns.js';

const endingColumns = { segment: integer('segment'), seq: integer('seq') };

/** The stored parts of a run besides its row, for whoever compares them. */
export function storedParts(
  { connection, reader }: Context,
  run: number,
  entries: readonly StoredEntry[],
): StoredParts {
  const endings = connection.select(endingColumns, 'FROM endings WHERE run = ? ORDER BY segment').all(run);
  return { entries, endings, open: (entry) => reader.open(entry).data };
}
