import { chainStart, parseReference } from '../../../port/entry-bytes.js';
import { type Break, hashOf, sha256, verifyChain } from '../../../store/chain.js';
import type { StoredEntry, StoredQuery } from '../../../store/operations.js';
import type { PayloadCodec } from '../../../store/payload.js';
import type { Sql } from '../../connection/sql.js';
import { damagedRows } from '../damaged-rows.js';

const columns = 'segment, seq, scope, ordinal, at, type, key, data, hash';
const unlimited = -1;

/** An entry with the run that it belongs to. */
type EntryOfRun = StoredEntry & { readonly run: number };

/** Large values by their hash. */
export type Blobs = ReadonlyMap<string, string>;

/** Reads journals, with blobs in their place again. */
export class JournalReader {
  readonly #sql: Sql;
  readonly #codec: PayloadCodec;

  constructor(sql: Sql, codec: PayloadCodec) {
    this.#sql = sql;
    this.#codec = codec;
  }

  async entries(run: number, { after, limit, types, newest }: StoredQuery): Promise<readonly StoredEntry[]> {
    const isNewest = newest !== null;
    const most = newest ?? (limit === unlimited ? null : limit);
    const rows = await this.#sql.rows<StoredEntry>(
      `SELECT ${columns} FROM @journal WHERE run = $1 AND seq > $2 AND ($3::text[] IS NULL OR type = ANY($3)) ORDER BY seq ${isNewest ? 'DESC' : 'ASC'} LIMIT $4`,
      [run, after, types, most],
    );
    const blobs = await this.blobsOf(rows);
    const opened = rows.map((row) => this.open(row, blobs));
    return isNewest ? opened.reverse() : opened;
  }

  /** The entries at places of several runs, as they were before they were stored, with what is wrong with them. */
  async linkedAll(
    places: readonly { readonly run: number; readonly runId: string; readonly seq: number }[],
  ): Promise<ReadonlyMap<number, StoredEntry | Break>> {
    const found = new Map<number, StoredEntry | Break>();
    if (places.length === 0) return found;
    const rows = await this.#sql.rows<EntryOfRun & { before: string | null }>(
      `SELECT j.run, ${columns.replaceAll(/(\w+)/g, 'j.$1')}, earlier.hash AS before
       FROM unnest($1::bigint[], $2::bigint[]) AS place(run, seq) JOIN @journal j ON j.run = place.run AND j.seq = place.seq
       LEFT JOIN @journal earlier ON earlier.run = j.run AND earlier.seq = j.seq - 1`,
      [places.map(({ run }) => run), places.map(({ seq }) => seq)],
    );
    const blobs = await this.blobsOf(rows);
    const byRun = new Map(rows.map((row) => [row.run, row]));
    for (const { run, runId, seq } of places) {
      const row = byRun.get(run);
      if (row === undefined) found.set(run, { seq, reason: `entry ${seq} of ${runId} is missing` });
      else if (hashOf(row.before ?? chainStart, runId, row) !== row.hash || (row.before === null && seq !== 1))
        found.set(run, { seq, reason: `entry ${seq} of ${runId} does not fit its hash` });
      else found.set(run, this.open(row, blobs));
    }
    return found;
  }

  /** The entry at a place, as it was before it was stored. Throws when it is not there or does not fit its hash. */
  async linked(run: number, runId: string, seq: number): Promise<StoredEntry> {
    const found = (await this.linkedAll([{ run, runId, seq }])).get(run) as StoredEntry | Break;
    if ('reason' in found) throw damagedRows(found.reason);
    return found;
  }

  /** All entries of runs as they are stored, by run. */
  async whole(runs: readonly number[]): Promise<ReadonlyMap<number, readonly StoredEntry[]>> {
    const rows = await this.#sql.rows<EntryOfRun>(
      `SELECT run, ${columns} FROM @journal WHERE run = ANY($1::bigint[]) ORDER BY run, seq`,
      [runs],
    );
    const byRun = new Map<number, StoredEntry[]>(runs.map((run) => [run, []]));
    for (const { run, ...row } of rows) byRun.get(run)?.push(row);
    return byRun;
  }

  /** The first entry that does not fit the chain, or whose large value is not what it was. */
  brokenAt(runId: string, rows: readonly StoredEntry[], blobs: Blobs): Break | undefined {
    return verifyChain(runId, rows) ?? brokenBlob(rows, blobs);
  }

  /** The large values that entries refer to. */
  async blobsOf(rows: readonly StoredEntry[]): Promise<Blobs> {
    const hashes = rows.map(({ data }) => parseReference(data)).filter((hash) => hash !== undefined);
    if (hashes.length === 0) return new Map();
    const found = await this.#sql.rows<{ hash: string; data: string }>(
      'SELECT hash, data FROM @blobs WHERE hash = ANY($1::text[])',
      [hashes],
    );
    return new Map(found.map(({ hash, data }) => [hash, data]));
  }

  /** An entry with its data as it was before it was stored. */
  open(row: StoredEntry, blobs: Blobs): StoredEntry {
    const { segment, seq, scope, ordinal, at, type, key, data, hash } = row;
    const reference = parseReference(data);
    const stored = reference === undefined ? data : blobs.get(reference);
    if (stored === undefined || (reference !== undefined && sha256(stored) !== reference))
      throw damagedRows('a large value is missing or does not fit its hash');
    return { segment, seq, scope, ordinal, at, type, key, data: this.#codec.decode(stored), hash };
  }
}

function brokenBlob(rows: readonly StoredEntry[], blobs: Blobs): Break | undefined {
  for (const { seq, data } of rows) {
    const hash = parseReference(data);
    if (hash === undefined) continue;
    const stored = blobs.get(hash);
    if (stored === undefined || sha256(stored) !== hash)
      return { seq, reason: `the value of entry ${seq} is missing or does not fit its hash` };
  }
  return undefined;
}
