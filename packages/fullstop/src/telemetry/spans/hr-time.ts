import type { HrTime } from '@opentelemetry/api';

/** Milliseconds since 1970 in the one form that is never mistaken for a time since the process began. */
export function hrTime(milliseconds: number): HrTime {
  const seconds = Math.trunc(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}
