import { chainStart, needsBlob, referenceTo } from '../../../port/entry-bytes.js';
import { hashOf, sha256 } from '../../../store/chain.js';
import type { Claim, EntryRow, StoredRun } from '../../../store/operations.js';
import type { PayloadCodec } from '../../../store/payload.js';
import type { Sql } from '../../connection/sql.js';
import type { Head, Heads } from './heads.js';

/** The run that an entry belongs to, and its segment. */
export type Place = Omit<Claim, 'epoch'>;

/** The cells of an entry in the order of the columns. */
export type EntryCells = readonly [
  run: number,
  segment: number,
  seq: number,
  scope: string,
  ordinal: number,
  at: number,
  type: string,
  key: string | null,
  data: string,
  hash: string,
];

export const entryColumns = 'run, segment, seq, scope, ordinal, at, type, key, data, hash';
/** Entries as arrays of columns; `from` is the number of the first. */
export function unnestEntries(from: number): string {
  const types = ['bigint', 'bigint', 'bigint', 'text', 'bigint', 'bigint', 'text', 'text', 'text', 'text'];
  return `unnest(${types.map((type, index) => `$${from + index}::${type}[]`).join(', ')})`;
}

export function columnsOf(rows: readonly EntryCells[]): readonly (readonly unknown[])[] {
  return Array.from({ length: 10 }, (_, column) => rows.map((row) => row[column]));
}

interface NewRun {
  readonly id: number;
  readonly run: StoredRun;
  readonly startedAt: number;
}

export interface WriterParts {
  readonly codec: PayloadCodec;
  readonly heads: Heads;
  readonly schema: string;
}

/** Appends to journals in one transaction: numbers entries, chains them, and writes many rows with one statement. */
export class JournalWriter {
  readonly schema: string;
  readonly #sql: Sql;
  readonly #codec: PayloadCodec;
  readonly #heads: Heads;
  /** The heads as they will be when the transaction is committed. */
  readonly #staged = new Map<number, Head>();
  /** The epochs of the runs that others may write to once the transaction is committed. */
  readonly #dropped = new Map<number, number>();
  /** Runs of which the server has less than it had confirmed: it took the place of another one. */
  readonly #lost = new Set<number>();
  readonly #entries: EntryCells[] = [];
  readonly #runs: NewRun[] = [];

  constructor(sql: Sql, { codec, heads, schema }: WriterParts) {
    this.schema = schema;
    this.#sql = sql;
    this.#codec = codec;
    this.#heads = heads;
  }

  /** Finds out for which of these runs the server does not have the last entry that it has confirmed. */
  async findLost(runs: readonly number[]): Promise<void> {
    const known = [...new Set(runs)].flatMap((run) => {
      const head = this.#heads.get(run);
      return head === undefined ? [] : [{ run, ...head }];
    });
    if (known.length === 0) return;
    const lost = await this.#sql.rows<{ run: number }>(
      `SELECT run FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS known(run, seq, hash)
       WHERE (SELECT j.hash FROM @journal j WHERE j.run = known.run AND j.seq = known.seq) IS DISTINCT FROM hash`,
      [known.map(({ run }) => run), known.map(({ seq }) => seq), known.map(({ hash }) => hash)],
    );
    for (const { run } of lost) this.#lost.add(run);
  }

  isLost(run: number): boolean {
    return this.#lost.has(run);
  }

  async head(run: number): Promise<Head> {
    const known = this.#staged.get(run) ?? (this.#dropped.has(run) ? undefined : this.#heads.get(run));
    if (known !== undefined) return known;
    await this.write();
    const row = await this.#sql.row<Head>(
      'SELECT seq, hash, at FROM @journal WHERE run = $1 ORDER BY seq DESC LIMIT 1',
      [run],
    );
    return row ?? { seq: 0, hash: chainStart, at: 0 };
  }

  /** Forgets a run that others may write to from now on. If the transaction fails its head still tells what of it was committed. */
  drop({ run, epoch }: Pick<Claim, 'run' | 'epoch'>): void {
    this.#staged.delete(run);
    this.#dropped.set(run, epoch);
  }

  stageRun(id: number, run: StoredRun, startedAt: number): void {
    this.#runs.push({ id, run, startedAt });
    this.#staged.set(id, { seq: 0, hash: chainStart, at: 0 });
  }

  /** Puts an entry after the last one. It is in the store after `write`. */
  async stage(place: Place, row: EntryRow, hash?: string | null): Promise<Head> {
    const before = await this.head(place.run);
    const { scope, ordinal, at, type, key } = row;
    const data = await this.#stored(place.run, row.data);
    const entry = { segment: place.segment, seq: before.seq + 1, scope, ordinal, at, type, key, data };
    const head = { seq: entry.seq, hash: hash ?? hashOf(before.hash, place.runId, entry), at };
    this.#entries.push([place.run, entry.segment, entry.seq, scope, ordinal, at, type, key, data, head.hash]);
    this.#staged.set(place.run, head);
    return head;
  }

  /** The text that the entry holds: the data itself, or a reference to a blob that holds it. */
  async #stored(run: number, data: string): Promise<string> {
    const encoded = this.#codec.encode(data);
    if (!needsBlob(encoded)) return encoded;
    const hash = sha256(encoded);
    await this.write();
    this.#sql.later('INSERT INTO @blobs (hash, data) VALUES ($1, $2) ON CONFLICT DO NOTHING', [hash, encoded]);
    this.#sql.later('INSERT INTO @blob_uses (run, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING', [run, hash]);
    return referenceTo(hash);
  }

  /** Writes what is staged. */
  async write(): Promise<void> {
    const runs = this.#runs.splice(0);
    const entries = this.#entries.splice(0);
    if (runs.length > 0) await this.#writeRuns(runs);
    if (entries.length > 0)
      this.#sql.later(`INSERT INTO @journal (${entryColumns}) SELECT * FROM ${unnestEntries(1)}`, columnsOf(entries));
  }

  async #writeRuns(runs: readonly NewRun[]): Promise<void> {
    const cells = (read: (each: NewRun) => unknown): readonly unknown[] => runs.map(read);
    this.#sql.later(
      `INSERT INTO @runs (id, run_id, name, version, parent_run, parent_scope, conversation, turn, after_run, after_segment, started_at, state, segment)
       SELECT new.*, 'ready', 1 FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[],
         $10::bigint[], $11::bigint[]) AS new`,
      [
        cells(({ id }) => id),
        cells(({ run }) => run.runId),
        cells(({ run }) => run.name),
        cells(({ run }) => run.version),
        cells(({ run }) => run.parentRun),
        cells(({ run }) => run.parentScope),
        cells(({ run }) => run.conversation),
        cells(({ run }) => run.turn),
        cells(({ run }) => run.afterRun),
        cells(({ run }) => run.afterSegment),
        cells(({ startedAt }) => startedAt),
      ],
    );
  }

  /** The heads that this process keeps are those of the transaction now. */
  committed(): void {
    for (const [run, head] of this.#staged) this.#heads.move(run, head);
    for (const [run, epoch] of this.#dropped) this.#heads.drop({ run, epoch });
    this.#staged.clear();
    this.#dropped.clear();
  }
}
