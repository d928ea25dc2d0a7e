import type { Database, SqlValue, Statement } from '../../driver/driver.js';
import type { Column, Columns } from './columns.js';
import { damagedRow } from './damaged-row.js';

/** A row as it was found, or what is left of one that cannot be read as the schema says. */
export type Found<TRow> =
  | { readonly row: TRow }
  /** Which column is damaged; `rest` has whatever can be read, with signs for what cannot. */
  | { readonly damaged: string; readonly rest: Partial<TRow> };

type Bytes = Uint8Array | ArrayBuffer;

interface PageRow {
  readonly page: Bytes;
  /** The long texts of all rows, one after the other. */
  readonly long?: Bytes | null;
}

/** A byte order mark is part of a text like any other character. */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * A query whose rows come as the bytes of one JSON text. Drivers take the texts of a file for valid: one aborts the process
 * where they are not, the other shows something else. Here they are decoded by us, in less time than cell by cell.
 */
export class Select<TRow> {
  readonly #database: Database;
  readonly #columns: Columns<TRow>;
  readonly #from: string;
  readonly #names: readonly (keyof TRow)[];
  readonly #reads: readonly Column<unknown>[];
  /** The place of the column with the long text; -1 where there is none. */
  readonly #long: number;
  #one: Statement<PageRow> | undefined;
  #page: Statement<PageRow> | undefined;

  constructor(database: Database, columns: Columns<TRow>, from: string) {
    this.#database = database;
    this.#columns = columns;
    this.#from = from;
    this.#names = Object.keys(columns) as (keyof TRow)[];
    this.#reads = this.#names.map((name) => columns[name]);
    this.#long = this.#reads.findIndex(({ isLong }) => isLong === true);
  }

  /** The first row. Throws where it is damaged. */
  get(...values: readonly SqlValue[]): TRow | undefined {
    this.#one ??= this.#database.prepare(`SELECT CAST(json_array(${this.#list()}) AS BLOB) AS page ${this.#from}`);
    try {
      const found = this.#one.get(...values);
      if (found === undefined) return undefined;
      const row = this.#rowOf(JSON.parse(strict.decode(found.page)) as readonly unknown[]);
      if (row !== undefined) return row;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
    return this.#whole(this.each(...values).slice(0, 1))[0];
  }

  /** All rows. Throws where one is damaged. */
  all(...values: readonly SqlValue[]): readonly TRow[] {
    return this.#quickly(values) ?? this.#whole(this.each(...values));
  }

  /** All rows, each for itself: one that is damaged hides no other. */
  found(...values: readonly SqlValue[]): readonly Found<TRow>[] {
    return this.#quickly(values)?.map((row) => ({ row })) ?? this.each(...values);
  }

  /** Undefined when some row is damaged. */
  #quickly(values: readonly SqlValue[]): readonly TRow[] | undefined {
    this.#page ??= this.#database.prepare(this.#pageQuery());
    try {
      const { page, long } = this.#page.get(...values) as PageRow;
      const cells = JSON.parse(strict.decode(page)) as unknown[][];
      if (long != null) putBack(cells, this.#long, long);
      const rows: TRow[] = [];
      for (const list of cells) {
        const row = this.#rowOf(list);
        if (row === undefined) return undefined;
        rows.push(row);
      }
      return rows;
    } catch (error) {
      if (isUnreadable(error)) return undefined;
      throw error;
    }
  }

  #pageQuery(): string {
    const cells = this.#names.map((_, index) => (index === this.#long ? byteLength(`c${index}`) : `c${index}`));
    const long = this.#long === -1 ? '' : `, CAST(group_concat(c${this.#long}, '') AS BLOB) AS long`;
    return `SELECT CAST(json_group_array(json_array(${cells.join(', ')})) AS BLOB) AS page${long}
      FROM (SELECT ${this.#reads.map(({ sql }, index) => `${sql} AS c${index}`).join(', ')} ${this.#from})`;
  }

  #rowOf(cells: readonly unknown[]): TRow | undefined {
    const row: Partial<TRow> = {};
    for (let index = 0; index < cells.length; index += 1) {
      const value = (this.#reads[index] as Column<unknown>).read(cells[index]);
      if (value === undefined) return undefined;
      row[this.#names[index] as keyof TRow] = value as TRow[keyof TRow];
    }
    return row as TRow;
  }

  /** One row after the other, for when something is wrong with one of them. */
  each(...values: readonly SqlValue[]): readonly Found<TRow>[] {
    const cells = this.#reads.map(({ sql }) => `CASE WHEN typeof(${sql}) = 'blob' THEN json_array(1) ELSE ${sql} END`);
    return this.#database
      .prepare<PageRow>(`SELECT CAST(json_array(${cells.join(', ')}) AS BLOB) AS page ${this.#from}`)
      .all(...values)
      .map(({ page }) => this.#foundIn(page));
  }

  #foundIn(page: PageRow['page']): Found<TRow> {
    const lax = JSON.parse(lenient.decode(page)) as readonly unknown[];
    const exact = parsed(page);
    const rest: Partial<TRow> = {};
    let damaged: string | undefined;
    this.#names.forEach((name, index) => {
      const value = this.#columns[name].read(lax[index]);
      if (value !== undefined) rest[name] = value;
      // Without the exact text nobody knows which cell it was, except by the sign that stands for what is no text.
      const isBad = value === undefined || (exact === undefined && String(value).includes('\ufffd'));
      if (isBad) damaged ??= String(name);
    });
    if (exact === undefined) damaged ??= String(this.#names[0]);
    return damaged === undefined ? { row: rest as TRow } : { damaged, rest };
  }

  #whole(found: readonly Found<TRow>[]): readonly TRow[] {
    return found.map((each) => {
      if ('row' in each) return each.row;
      throw damagedRow(`the ${each.damaged} of a row cannot be read`);
    });
  }

  #list(): string {
    return this.#reads.map(({ sql }) => sql).join(', ');
  }
}

/** Empty where the cell is no text, which the schema does not allow. */
function byteLength(cell: string): string {
  return `CASE typeof(${cell}) WHEN 'text' THEN length(CAST(${cell} AS BLOB)) END`;
}

/** Puts long texts in the place of their lengths. A part of a text that is kept needs no copy of its own. */
function putBack(rows: readonly unknown[][], column: number, long: Bytes): void {
  const bytes = long instanceof Uint8Array ? long : new Uint8Array(long);
  const whole = strict.decode(bytes);
  // Where each character is one byte, which is nearly always so, places in the text are places in the bytes.
  const isPlain = whole.length === bytes.length;
  let begin = 0;
  for (const cells of rows) {
    const length = cells[column];
    // No length is no text: the rows are then looked at one by one.
    if (typeof length !== 'number') return;
    const end = begin + length;
    cells[column] = isPlain ? whole.slice(begin, end) : strict.decode(bytes.subarray(begin, end));
    begin = end;
  }
}

function parsed(page: PageRow['page']): unknown {
  try {
    return JSON.parse(strict.decode(page)) as unknown;
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** Bytes that are no text, or a cell that holds bytes instead of text. */
function isUnreadable(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (
    code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ||
    error instanceof SyntaxError ||
    (typeof message === 'string' && message.includes('JSON cannot hold BLOB'))
  );
}
