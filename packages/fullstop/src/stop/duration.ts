import { type DurationUnit, parseDuration } from '../termination/text/parse-duration.js';
import { invalidLimit, type OptionPlace, positiveLimit } from './check-option.js';

/** Milliseconds, or a number with its unit: `'250ms'`, `'30s'`, `'10m'`, `'2h'`, `'1d'`. */
export type Duration = number | `${number}${DurationUnit}`;

const units: readonly DurationUnit[] = ['ms', 's', 'm', 'h', 'd'];

/** A duration that limits something, in milliseconds. */
export function durationLimit(value: unknown, place: OptionPlace): number {
  if (typeof value !== 'string') return positiveLimit(value, place);
  const result = parseDuration(value, { units });
  if (result !== undefined && Number.isFinite(result) && result > 0) return result;
  throw invalidLimit(value, place, 'a time above 0, in milliseconds or with a unit such as "30s"');
}
