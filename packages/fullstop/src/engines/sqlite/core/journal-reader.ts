import { parseReference } from '../../port/entry-bytes.js';
import { sha256, verifyChain } from '../chain.js';
import { areLandmarks, landmarkCondition } from '../migrations/version-6.js';
import type { StoredEntry, StoredQuery, StoreVerification } from '../operations.js';
import type { Connection } from './connection.js';
import { type PayloadCodec, plainText } from './payload.js';

const columns = 'segment, seq, scope, ordinal, at, type, key, data, hash';
type Cells = readonly [number, number, string, number, number, string, string | null, string, string];
const everything = -1;

/** Reads journals, with blobs in their place again. */
export class JournalReader {
  readonly #connection: Connection;
  readonly #codec: PayloadCodec;

  constructor(connection: Connection, codec: PayloadCodec) {
    this.#connection = connection;
    this.#codec = codec;
  }

  entries(run: number, { after, limit, types, newest }: StoredQuery): readonly StoredEntry[] {
    const ofTypes = types === null ? '' : ' AND type IN (SELECT value FROM json_each(?))';
    const byIndex = types !== null && areLandmarks(types) ? ` AND ${landmarkCondition}` : '';
    const order = newest === null ? '' : ' DESC';
    const rows = this.#connection
      .sql<StoredEntry>(
        `SELECT ${columns} FROM journal WHERE run = ? AND seq > ?${ofTypes}${byIndex} ORDER BY seq${order} LIMIT ?`,
      )
      .all(run, after, ...(types === null ? [] : [JSON.stringify(types)]), newest ?? limit)
      .map((row) => this.#open(row));
    return newest === null ? rows : rows.reverse();
  }

  entry(run: number, seq: number): StoredEntry | undefined {
    const row = this.#connection
      .sql<StoredEntry>(`SELECT ${columns} FROM journal WHERE run = ? AND seq = ?`)
      .get(run, seq);
    return row && this.#open(row);
  }

  /** A stored text as it was before it was stored. */
  text(stored: string): string {
    const hash = parseReference(stored);
    return this.#codec.decode(hash === undefined ? stored : (this.#blob(hash) ?? ''));
  }

  /** All entries of a run, or the first one that does not fit the chain. */
  verified(run: number, runId: string): readonly StoredEntry[] | { readonly seq: number; readonly reason: string } {
    const rows = this.#rows(run, 0, everything);
    const broken = verifyChain(runId, rows) ?? this.#brokenBlob(rows);
    return broken ?? rows.map((row) => this.#open(row));
  }

  verify(run: number, runId: string, head: string | null): StoreVerification {
    const rows = this.#rows(run, 0, everything);
    const broken = verifyChain(runId, rows) ?? this.#brokenBlob(rows);
    if (broken !== undefined) return { status: 'broken', ...broken };
    if (head === null) return { status: 'consistent', entries: rows.length };
    const proved = rows.findLast((row) => row.hash === head);
    if (proved === undefined)
      return { status: 'broken', seq: rows.length, reason: 'no entry has the hash that was given as head' };
    return { status: 'proved', entries: rows.length, seq: proved.seq };
  }

  #rows(run: number, after: number, limit: number): readonly StoredEntry[] {
    return this.#connection
      .sql<Cells>(`SELECT ${columns} FROM journal WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?`)
      .rows(run, after, limit)
      .map(storedEntry);
  }

  #brokenBlob(rows: readonly StoredEntry[]): { readonly seq: number; readonly reason: string } | undefined {
    for (const { seq, data } of rows) {
      const hash = parseReference(data);
      if (hash !== undefined && sha256(this.#blob(hash) ?? '') !== hash)
        return { seq, reason: `the value of entry ${seq} is missing or does not fit its hash` };
    }
    return undefined;
  }

  #blob(hash: string): string | undefined {
    return this.#connection.sql<{ data: string }>('SELECT data FROM blobs WHERE hash = ?').get(hash)?.data;
  }

  #open(row: StoredEntry): StoredEntry {
    const hash = parseReference(row.data);
    // What comes from a list of rows is all ours; copying ten thousand of them takes its time.
    if (hash === undefined && this.#codec === plainText) return row;
    const { segment, seq, scope, ordinal, at, type, key } = row;
    const data = this.text(row.data);
    return { segment, seq, scope, ordinal, at, type, key, data, hash: row.hash };
  }
}

/** By index, because a pattern would ask an iterator for every cell. */
function storedEntry(cells: Cells): StoredEntry {
  return {
    segment: cells[0],
    seq: cells[1],
    scope: cells[2],
    ordinal: cells[3],
    at: cells[4],
    type: cells[5],
    key: cells[6],
    data: cells[7],
    hash: cells[8],
  };
}
