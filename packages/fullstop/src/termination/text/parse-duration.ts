const milliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export type DurationUnit = keyof typeof milliseconds;

/** The forms of a duration that a place accepts. */
export interface DurationDialect {
  readonly units: readonly DurationUnit[];
  /** The unit of a bare number, which is refused without one: it would not say of what. */
  readonly bareUnit?: DurationUnit;
  /** True to allow blanks around the number and its unit. */
  readonly blanks?: boolean;
}

/** Nobody writes a longer one, and the pattern is slow on long runs of blanks. */
const longest = 64;

/** Milliseconds of a number with its unit, such as `250ms`, `1.5h` or `2d`; undefined for anything else. */
export function parseDuration(text: string, { units, bareUnit, blanks }: DurationDialect): number | undefined {
  if (text.length > longest || (blanks !== true && /\s/.test(text))) return undefined;
  const [, amount, unit = bareUnit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)?\s*$/.exec(text) ?? [];
  const known = units.find((each) => each === unit);
  return amount === undefined || known === undefined ? undefined : Number(amount) * milliseconds[known];
}
