const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Completes the sentence "expected …". */
export const durationForm = 'a duration such as 250ms, 2s, 5m or 1h';

/** Milliseconds of `250ms`, `2s`, `1.5m` or `1h`; undefined for anything else. A bare number would not say of what. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Number(amount) * (units[unit] as number);
}

/** The shortest form that `parseDuration` reads back as the same. */
export function formatDuration(milliseconds: number): string {
  return milliseconds % 1000 === 0 && milliseconds > 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
