/** Comparing longer words takes long, and nobody mistypes them by a letter. */
const longest = 100;

/** ` (did you mean "max_iterations"?)` when one of the known words is close, else nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  if (word.length > longest) return '';
  const most = Math.max(1, Math.floor(Math.min(word.length, 40) / 3));
  let best: string | undefined;
  let bestDistance = most + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > most) continue;
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best === undefined ? '' : ` (did you mean ${JSON.stringify(best)}?)`;
}

/** How many letters must be added, removed, changed, or swapped with the one before. */
function editDistance(left: string, right: string): number {
  let [before, previous] = [[] as number[], Array.from({ length: right.length + 1 }, (_, index) => index)];
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = row > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const replaced = (previous[column - 1] as number) + (isSame ? 0 : 1);
      const swapped = isSwapped ? (before[column - 2] as number) + 1 : replaced;
      const shifted = Math.min(previous[column] as number, current[column - 1] as number) + 1;
      current.push(Math.min(replaced, swapped, shifted));
    }
    [before, previous] = [previous, current];
  }
  return previous[right.length] as number;
}
