import { invalidLimit, type OptionPlace, positiveLimit } from './check-option.js';

/** Milliseconds, or a number with its unit: `'250ms'`, `'30s'`, `'10m'`, `'2h'`, `'1d'`. */
export type Duration = number | `${number}${DurationUnit}`;

type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd';

const milliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A duration that limits something, in milliseconds. */
export function durationLimit(value: unknown, place: OptionPlace): number {
  if (typeof value !== 'string') return positiveLimit(value, place);
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value) ?? [];
  const result = Number(amount) * (milliseconds[unit] ?? Number.NaN);
  if (Number.isFinite(result) && result > 0) return result;
  throw invalidLimit(value, place, 'a time above 0, in milliseconds or with a unit such as "30s"');
}
