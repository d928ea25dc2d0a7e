import { type DurationDialect, parseDuration } from '../../termination/text/parse-duration.js';

const dialect: DurationDialect = { units: ['ms', 's', 'm', 'h'], bareUnit: 's', blanks: true };

/** Seconds of `90`, `1.5`, `"250ms"`, `"2s"`, `"5m"` or `"1h"`; undefined for anything else. */
export function durationSeconds(value: string | number): number | undefined {
  if (typeof value === 'number') return value;
  const milliseconds = parseDuration(value, dialect);
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
