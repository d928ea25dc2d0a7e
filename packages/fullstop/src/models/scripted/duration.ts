import { type DurationDialect, parseDuration } from '../../termination/text/parse-duration.js';

/** Completes the sentence "expected …". */
export const durationForm = 'a duration such as 250ms, 2s, 5m or 1h';

const dialect: DurationDialect = { units: ['ms', 's', 'm', 'h'], blanks: true };

/** Milliseconds of a duration in a script; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  return parseDuration(text, dialect);
}

/** The shortest form that `readDuration` reads back as the same. */
export function formatDuration(milliseconds: number): string {
  return milliseconds % 1000 === 0 && milliseconds > 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
