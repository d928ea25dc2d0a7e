import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { needsBlob, referenceTo } from '../port/entry-bytes.js';
import type { JournalEntry } from '../port/journal-entry.js';
import { readStart } from '../rules/frame-entries.js';
import { sha256, verifyChain } from './chain.js';
import { toRow, toStoredRun } from './entry-row.js';
import type { InputOf } from './operations.js';

/** Makes rows of a journal from elsewhere. Its hashes are kept, unless this store encodes its data: then they could never be verified here. */
export function importedRun(entries: readonly JournalEntry[], encoded: boolean): InputOf<'importRun'> {
  const identity = readStart(entries);
  const { runId } = identity;
  const rows = entries.map((entry) => ({
    ...toRow(entry),
    segment: entry.segment,
    seq: entry.seq,
    hash: entry.hash ?? null,
  }));
  const hashed = rows.some(({ hash }) => hash !== null);
  if (hashed) checkChain(runId, rows);
  const kept = hashed && !encoded ? rows : rows.map((row) => ({ ...row, hash: null }));
  return { run: toStoredRun(identity), rows: kept };
}

function checkChain(runId: string, rows: InputOf<'importRun'>['rows']): void {
  const stored = rows.map((row) => ({
    ...row,
    data: needsBlob(row.data) ? referenceTo(sha256(row.data)) : row.data,
    hash: row.hash ?? '',
  }));
  const broken = verifyChain(runId, stored);
  if (broken === undefined) return;
  throw new FullstopError(
    'STORE_CORRUPT',
    `The journal of ${runId} was not imported: ${broken.reason}. Somebody changed it, or it comes from an engine with a codec; entries without hashes are taken as they are.`,
  );
}
