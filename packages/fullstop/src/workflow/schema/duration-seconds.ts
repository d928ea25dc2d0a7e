const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };

/** Nobody writes a longer one, and the pattern is slow on long runs of blanks. */
const longest = 64;

/** Seconds of `90`, `1.5`, `"250ms"`, `"2s"`, `"5m"` or `"1h"`; undefined for anything else. */
export function durationSeconds(value: string | number): number | undefined {
  if (typeof value === 'number') return value;
  if (value.length > longest) return undefined;
  const [, amount, unit = 's'] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(value) ?? [];
  return amount === undefined ? undefined : Number(amount) * (units[unit] as number);
}
