import { found } from '../../../termination/check.js';
import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { loadCrontab } from '../sdk.js';

const allowed =
  'five fields (minute, hour, day of the month, month, day of the week), six with seconds in front, or one of @hourly, @daily, @weekly, @monthly and @yearly, such as "30 6 * * 1-5"';

/** Refuses what DBOS cannot read, before anything is stored. */
export function checkCron(cron: string, timezone: string): void {
  const { validateCrontab, validateTimezone } = loadCrontab();
  try {
    validateCrontab(cron);
  } catch (cause) {
    throw refusal(`cron is ${found(cron)}, which cannot be read (${wordsOf(cause)}); it must be ${allowed}.`, cause);
  }
  try {
    validateTimezone(timezone);
  } catch (cause) {
    throw refusal(
      `timezone is ${found(timezone)}; it must be a name of the IANA database, such as "Europe/Berlin", or "UTC".`,
      cause,
    );
  }
}

/** The first instant after another one at which a schedule is due. */
export function nextTick(cron: string, timezone: string, after: number): number | undefined {
  const matcher = new (loadCrontab().TimeMatcher)(cron, timezone);
  const next = matcher.nextWakeupTime(after).getTime();
  return matcher.match(next) ? next : undefined;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function refusal(message: string, cause: unknown): FullstopError {
  return new FullstopError('INVALID_OPTION', `schedule: ${message}`, { cause });
}
