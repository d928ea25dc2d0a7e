import { UsageError } from './usage-error.js';

// Wider than what definitions accept: people at a terminal also write minutes as `min`, count weeks and leave out the seconds.
const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `90s`, `1.5h`, `2d` in milliseconds; undefined for anything else. */
export function milliseconds(text: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|min|h|d|w)$/.exec(text.trim());
  const size = units[found?.[2] ?? ''];
  return found === null || size === undefined ? undefined : Number(found[1]) * size;
}

/** A positive duration of an option; a bare number counts seconds. */
export function readDuration(text: string, option: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : milliseconds(text);
  if (value === undefined || value <= 0)
    throw new UsageError(`${option} needs a duration such as 90s, 15m or 2h, not ${JSON.stringify(text)}.`);
  return value;
}
