import { chainStart, needsBlob, referenceTo } from '../../../port/entry-bytes.js';
import { hashOf, sha256 } from '../../../store/chain.js';
import type { ChainedRows, Claim, EntryRow } from '../../../store/operations.js';
import { type PayloadCodec, plainText } from '../../../store/payload.js';
import type { SqlValue } from '../../driver/driver.js';
import { isBusy } from '../../store-error.js';
import type { Connection } from '../connection.js';
import { type Columns, integer, text } from '../rows/columns.js';

/** The end of a run's journal. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

const headColumns: Columns<Head> = { seq: integer('seq'), hash: text('hash'), at: integer('at') };

/** The run that an entry belongs to, and its segment. */
export type Place = Omit<Claim, 'epoch'>;

const columns = 'run, segment, seq, scope, ordinal, at, type, key, data, hash';
const columnCount = 10;
const one = `(${Array.from({ length: columnCount }, () => '?').join(', ')})`;
/** Most rows of one statement; more gains nothing. */
const mostRows = 64;

/** Appends to journals: numbers entries, chains them and writes them, many rows with one statement. */
export class JournalWriter {
  readonly #connection: Connection;
  readonly #codec: PayloadCodec;
  /** The heads of the runs that this process executes. */
  readonly #heads = new Map<number, Head>();
  /** The heads as they will be when the current transaction is committed. */
  readonly #staged = new Map<number, Head>();
  #values: SqlValue[] = [];
  #stuck = false;

  constructor(connection: Connection, codec: PayloadCodec) {
    this.#connection = connection;
    this.#codec = codec;
  }

  head(run: number): Head {
    return this.#staged.get(run) ?? this.#heads.get(run) ?? this.#storedHead(run);
  }

  #storedHead(run: number): Head {
    const row = this.#connection.select(headColumns, 'FROM journal WHERE run = ? ORDER BY seq DESC LIMIT 1').get(run);
    return row ?? { seq: 0, hash: chainStart, at: 0 };
  }

  /** Keeps the head of a run in memory, because this process alone writes to it from now on. */
  hold(run: number, head: Head): void {
    this.#heads.set(run, head);
  }

  /** Forgets a run that others may write to from now on. */
  drop(run: number): void {
    this.#heads.delete(run);
  }

  /** Puts an entry after the last one. It is in the file after `write`. */
  stage(place: Place, row: EntryRow, hash?: string | null): Head {
    const before = this.head(place.run);
    const { scope, ordinal, at, type, key } = row;
    const data = this.#stored(place.run, row.data);
    const entry = { segment: place.segment, seq: before.seq + 1, scope, ordinal, at, type, key, data };
    const head = { seq: entry.seq, hash: hash ?? hashOf(before.hash, place.runId, entry), at };
    this.#values.push(place.run, entry.segment, entry.seq, scope, ordinal, at, type, key, data, head.hash);
    this.#staged.set(place.run, head);
    if (this.#values.length >= mostRows * columnCount) this.write();
    return head;
  }

  /** The text that the entry holds: the data itself, or a reference to a blob that holds it. */
  #stored(run: number, data: string): string {
    const encoded = this.#codec.encode(data);
    if (!needsBlob(encoded)) return encoded;
    const hash = sha256(encoded);
    this.#connection.sql('INSERT INTO blobs (hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING').run(hash, encoded);
    this.#connection.sql('INSERT INTO blob_uses (run, hash) VALUES (?, ?) ON CONFLICT DO NOTHING').run(run, hash);
    return referenceTo(hash);
  }

  /** Writes what is staged. */
  write(): void {
    const values = this.#values;
    if (values.length === 0) return;
    this.#values = [];
    let from = 0;
    for (let size = mostRows; size > 0; size >>= 1) {
      const length = size * columnCount;
      while (values.length - from >= length) {
        const whole = values.length === length;
        this.#connection.sql(insertOf(size)).runWith(whole ? values : values.slice(from, from + length));
        from += length;
      }
    }
  }

  /** A single entry in a transaction of its own, if the epoch is still the claim's. */
  appendAlone(claim: Claim, row: EntryRow, chained?: ChainedRows): boolean {
    const before = this.head(claim.run);
    const { scope, ordinal, at, type, key, data } = row;
    const entry = { segment: claim.segment, seq: before.seq + 1, scope, ordinal, at, type, key, data };
    const known = chained?.after === before.hash ? chained.hashes[0] : undefined;
    const hash = known ?? hashOf(before.hash, claim.runId, entry);
    if (
      this.#insertAlone(claim.segment, entry.seq, scope, ordinal, at, type, key, data, hash, claim.run, claim.epoch) ===
      0
    )
      return false;
    this.#heads.set(claim.run, { seq: entry.seq, hash, at });
    return true;
  }

  #insertAlone(...values: readonly SqlValue[]): number {
    try {
      return this.#connection
        .sql(
          `INSERT INTO journal (${columns}) SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM runs WHERE id = ? AND epoch = ?`,
        )
        .run(...values);
    } catch (error) {
      this.#stuck = isBusy(error);
      throw error;
    }
  }

  /** A statement that got no lock stays begun with libsql, and nothing else can commit. Doing it again, for no run, ends it. */
  recover(): void {
    if (!this.#stuck) return;
    this.#insertAlone(...Array.from({ length: columnCount + 1 }, () => null));
    this.#stuck = false;
  }

  /** True when a row can go with `appendAlone`. */
  isPlain(row: EntryRow): boolean {
    return row.effect === undefined && this.#codec === plainText && !needsBlob(row.data);
  }

  committed(): void {
    for (const [run, head] of this.#staged) if (this.#heads.has(run)) this.#heads.set(run, head);
    this.#staged.clear();
  }

  rolledBack(): void {
    this.#staged.clear();
    this.#values = [];
  }
}

const inserts = new Map<number, string>();

function insertOf(rows: number): string {
  let text = inserts.get(rows);
  if (text === undefined) {
    text = `INSERT INTO journal (${columns}) VALUES ${Array.from({ length: rows }, () => one).join(', ')}`;
    inserts.set(rows, text);
  }
  return text;
}
