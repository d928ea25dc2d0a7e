import { chainStart, parseReference } from '../../../port/entry-bytes.js';
import { type Anchor, type Break, hashOf, sha256, verifyChain } from '../../../store/chain.js';
import type { StoredEntry, StoredQuery } from '../../../store/operations.js';
import { type PayloadCodec, plainText } from '../../../store/payload.js';
import { areLandmarks, landmarkCondition } from '../../migrations/version-6.js';
import type { Connection } from '../connection.js';
import { type Columns, integer, longText, optional, text } from '../rows/columns.js';
import { damagedRow } from '../rows/damaged-row.js';

const columns: Columns<StoredEntry> = {
  segment: integer('segment'),
  seq: integer('seq'),
  scope: text('scope'),
  ordinal: integer('ordinal'),
  at: integer('at'),
  type: text('type'),
  key: optional(text('key')),
  data: longText('data'),
  hash: text('hash'),
};

const linkColumns: Columns<StoredEntry & { readonly before: string | null }> = {
  ...columns,
  before: optional(text('(SELECT hash FROM journal AS earlier WHERE earlier.run = j.run AND earlier.seq = j.seq - 1)')),
};

const blobColumns = { data: text('data') };
const seqColumn = { seq: integer('seq') };

/** Rows of one query, and so of one part: a whole journal in one text would know no limit. */
export const pageRows: number = 1024;
const unlimited = -1;

interface Part {
  readonly from?: Anchor | undefined;
  readonly limit: number;
}

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
    const given = types === null ? [] : [JSON.stringify(types)];
    if (newest === null)
      return this.#pages(`FROM journal WHERE run = ? AND seq > ?${ofTypes}${byIndex} ORDER BY seq LIMIT ?`, {
        after,
        limit,
        values: [run, ...given],
      }).map((row) => this.open(row));
    return this.#connection
      .select(columns, `FROM journal WHERE run = ? AND seq > ?${ofTypes}${byIndex} ORDER BY seq DESC LIMIT ?`)
      .all(run, after, ...given, newest)
      .map((row) => this.open(row))
      .reverse();
  }

  #pages(
    from: string,
    {
      after,
      limit,
      values: [run, ...others],
    }: { readonly after: number; readonly limit: number; readonly values: readonly (number | string)[] },
  ): readonly StoredEntry[] {
    const select = this.#connection.select(columns, from);
    const rows: StoredEntry[] = [];
    for (let last = after; ; ) {
      const wanted = limit === unlimited ? pageRows : Math.min(pageRows, limit - rows.length);
      const page = select.all(run as number, last, ...others, wanted);
      for (const row of page) rows.push(row);
      if (page.length < pageRows || rows.length === limit) return rows;
      last = rows.at(-1)?.seq ?? last;
    }
  }

  /** The entry at a place, as it is stored. Throws when it is not there or does not fit its hash. */
  linked(run: number, runId: string, seq: number): StoredEntry {
    const found = this.#connection.select(linkColumns, 'FROM journal AS j WHERE run = ? AND seq = ?').get(run, seq);
    if (found === undefined) throw damagedRow(`entry ${seq} of ${runId} is missing`);
    const { before, ...row } = found;
    if (hashOf(before ?? chainStart, runId, row) !== row.hash || (before === null && seq !== 1))
      throw damagedRow(`entry ${seq} of ${runId} does not fit its hash`);
    return this.open(row);
  }

  /** A stored text as it was before it was stored. */
  text(stored: string): string {
    const hash = parseReference(stored);
    return this.#codec.decode(hash === undefined ? stored : this.#blob(hash));
  }

  /** All entries of a run as they are stored, or the first one that does not fit the chain. */
  verified(run: number, runId: string): readonly StoredEntry[] | Break {
    return this.#verified(run, runId, { limit: unlimited });
  }

  /** The same for the entries after one that fits, `pageRows` at most. */
  verifiedPart(run: number, runId: string, from: Anchor | undefined): readonly StoredEntry[] | Break {
    return this.#verified(run, runId, { from, limit: pageRows });
  }

  #verified(run: number, runId: string, { from, limit }: Part): readonly StoredEntry[] | Break {
    const rows = this.#rows(run, from?.seq ?? 0, limit);
    if ('reason' in rows) return rows;
    return verifyChain(runId, rows, from) ?? this.#brokenBlob(rows) ?? rows;
  }

  #rows(run: number, after: number, limit: number): readonly StoredEntry[] | Break {
    const from = 'FROM journal WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?';
    try {
      return this.#pages(from, { after, limit, values: [run] });
    } catch (error) {
      return this.#firstUnreadable(run) ?? fail(error);
    }
  }

  /** The first entry of which a cell cannot be read. */
  #firstUnreadable(run: number): Break | undefined {
    const places = this.#connection.select(seqColumn, 'FROM journal WHERE run = ? ORDER BY seq').found(run);
    const select = this.#connection.select(columns, 'FROM journal WHERE run = ? AND seq = ?');
    for (const [index, place] of places.entries()) {
      if ('damaged' in place) return { seq: index + 1, reason: `entry ${index + 1} cannot be read` };
      const [found] = select.found(run, place.row.seq);
      if (found !== undefined && 'damaged' in found)
        return { seq: place.row.seq, reason: `entry ${place.row.seq} cannot be read: its ${found.damaged} is damaged` };
    }
    return undefined;
  }

  #brokenBlob(rows: readonly StoredEntry[]): Break | undefined {
    for (const { seq, data } of rows) {
      const hash = parseReference(data);
      if (hash !== undefined && !this.#hasBlob(hash))
        return { seq, reason: `the value of entry ${seq} is missing or does not fit its hash` };
    }
    return undefined;
  }

  #hasBlob(hash: string): boolean {
    const [found] = this.#connection.select(blobColumns, 'FROM blobs WHERE hash = ?').found(hash);
    return found !== undefined && 'row' in found && sha256(found.row.data) === hash;
  }

  #blob(hash: string): string {
    const data = this.#connection.select(blobColumns, 'FROM blobs WHERE hash = ?').get(hash)?.data;
    if (data === undefined || sha256(data) !== hash)
      throw damagedRow('a large value is missing or does not fit its hash');
    return data;
  }

  /** An entry with its data as it was before it was stored. */
  open(row: StoredEntry): StoredEntry {
    // What comes from a list of rows is all ours; copying ten thousand of them takes its time.
    if (this.#codec === plainText && parseReference(row.data) === undefined) return row;
    return { ...row, data: this.text(row.data) };
  }
}

function fail(error: unknown): never {
  throw error;
}
