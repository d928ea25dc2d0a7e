import { fitted, padded, paddedLeft, widthOf } from './wrap.js';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** The column that shrinks when the terminal is narrow; columns with a higher number shrink first, and are dropped first. */
  readonly yields?: number;
  /** How far it may shrink before it is left out. */
  readonly least?: number;
}

export interface TableOptions {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  readonly width: number;
  /** The style of a title. */
  readonly title?: (text: string) => string;
}

const gap = 2;

/** A table as lines. A narrow terminal loses the columns that matter least, never its alignment. */
export function table({ columns, rows, width, title = (text) => text }: TableOptions): readonly string[] {
  const natural = columns.map((column, index) =>
    Math.max(widthOf(column.title), ...rows.map((row) => widthOf(row[index] ?? ''))),
  );
  const widths = shrunk(columns, natural, width);
  const line = (cells: readonly string[], change: (text: string) => string): string =>
    cells
      .flatMap((cell, index) => {
        const room = widths[index] ?? 0;
        if (room === 0) return [];
        const text = fitted(cell, room);
        return [change(columns[index]?.align === 'right' ? paddedLeft(text, room) : padded(text, room))];
      })
      .join(' '.repeat(gap))
      .trimEnd();
  return [
    line(
      columns.map((column) => column.title),
      title,
    ),
    ...rows.map((row) => line(row, (text) => text)),
  ];
}

/** Columns shrink, and where that is not enough the one that yields first is dropped, which gives the others their room back. */
function shrunk(columns: readonly Column[], natural: readonly number[], width: number): readonly number[] {
  const order = columns
    .map(({ yields = 0, least = 8 }, index) => ({ yields, least, index }))
    .filter(({ yields }) => yields > 0)
    .sort((left, right) => right.yields - left.yields);
  const kept = [...natural];
  for (;;) {
    const widths = [...kept];
    for (const { index, least } of order) {
      const over = totalOf(widths) - width;
      if (over <= 0) break;
      const before = widths[index] ?? 0;
      widths[index] = Math.max(Math.min(before, least), before - over);
    }
    const next = order.find(({ index }) => (kept[index] ?? 0) > 0);
    if (totalOf(widths) <= width || next === undefined) return widths;
    kept[next.index] = 0;
  }
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, part) => sum + (part > 0 ? part + gap : 0), -gap);
}
