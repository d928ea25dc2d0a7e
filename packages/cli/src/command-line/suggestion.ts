/** ` (did you mean "runs"?)` when one of the known words is close, or begins so, else nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const most = Math.max(1, Math.floor(Math.min(word.length, 40) / 3));
  const [closest] = known
    .filter(({ length }) => Math.abs(length - word.length) <= most)
    .map((candidate) => ({ candidate, changes: changesBetween(word, candidate) }))
    .filter(({ changes }) => changes <= most)
    .sort((left, right) => left.changes - right.changes);
  const completed = word.length > 2 ? known.find((candidate) => candidate.startsWith(word)) : undefined;
  const best = closest?.candidate ?? completed;
  return best === undefined ? '' : ` (did you mean ${JSON.stringify(best)}?)`;
}

/** How many characters must be added, removed, changed, or swapped with the one before. */
function changesBetween(left: string, right: string): number {
  const rows: number[][] = [[...Array(right.length + 1).keys()]];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= left.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const changed = at(row - 1, column - 1) + (isSame ? 0 : 1);
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      rows[row]?.push(Math.min(changed, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(left.length, right.length);
}
