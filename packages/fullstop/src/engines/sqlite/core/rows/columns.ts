/** How one column of a query is read: in SQL, and from the cell of a JSON array. */
export interface Column<TValue> {
  readonly sql: string;
  /** The value of a cell; undefined when it is of another type than the schema says, which only damage can do. */
  read(cell: unknown): TValue | undefined;
  /** True where most of the text of a row is in it: it then comes beside the JSON, without marks that would be made and removed again. */
  readonly isLong?: boolean;
}

/** The columns of a query, by the names that its rows have. */
export type Columns<TRow> = { readonly [TName in keyof TRow]-?: Column<TRow[TName]> };

export function text<TText extends string = string>(sql: string): Column<TText> {
  return { sql, read: (cell) => (typeof cell === 'string' ? (cell as TText) : undefined) };
}

/** A text that is long; a query has at most one. */
export function longText(sql: string): Column<string> {
  return { ...text(sql), isLong: true };
}

/** One of a few words. */
export function word<TWord extends string>(sql: string, words: readonly TWord[]): Column<TWord> {
  return { sql, read: (cell) => (words.includes(cell as TWord) ? (cell as TWord) : undefined) };
}

export function integer(sql: string): Column<number> {
  return { sql, read: (cell) => (Number.isSafeInteger(cell) ? (cell as number) : undefined) };
}

/** As text on its way: numbers in JSON have 15 digits with SQLite, and some need 17. */
export function real(sql: string): Column<number> {
  return {
    sql: `CASE WHEN ${sql} IS NOT NULL THEN printf('%!.17g', ${sql}) END`,
    read: (cell) => (typeof cell === 'string' ? finite(Number(cell)) : undefined),
  };
}

function finite(number: number): number | undefined {
  return Number.isFinite(number) ? number : undefined;
}

/** A column that may be empty. */
export function optional<TValue>({ sql, read }: Column<TValue>): Column<TValue | null> {
  return { sql, read: (cell) => (cell === null ? null : read(cell)) };
}
