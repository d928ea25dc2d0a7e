/** A line of two texts side by side. */
export interface DiffLine {
  readonly change: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** The lines of the first that are not in the second and the other way round, by the longest common part; for texts of few lines. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  while (left < before.length || right < after.length) {
    const [old, now] = [before[left], after[right]];
    if (old !== undefined && old === now) {
      lines.push({ change: 'same', text: old });
      left += 1;
      right += 1;
    } else if (
      now !== undefined &&
      (old === undefined || lengthAt(common, left, right + 1) > lengthAt(common, left + 1, right))
    ) {
      lines.push({ change: 'added', text: now });
      right += 1;
    } else {
      lines.push({ change: 'removed', text: old ?? '' });
      left += 1;
    }
  }
  return lines;
}

function lengthAt(common: readonly (readonly number[])[], left: number, right: number): number {
  return common[left]?.[right] ?? 0;
}

/** The length of the longest common part from each pair of places on. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const table: number[][] = Array.from({ length: before.length + 1 }, () => []);
  for (let left = before.length - 1; left >= 0; left -= 1) {
    const row = table[left] as number[];
    for (let right = after.length - 1; right >= 0; right -= 1) {
      row[right] =
        before[left] === after[right]
          ? lengthAt(table, left + 1, right + 1) + 1
          : Math.max(lengthAt(table, left + 1, right), lengthAt(table, left, right + 1));
    }
  }
  return table;
}
