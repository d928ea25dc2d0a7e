type Headers = (name: string) => string | undefined;

/**
 * How long the provider asks us to wait, in milliseconds: a header in milliseconds where there is one, else Retry-After
 * in seconds or as a date, else the delay in the body of Google's errors.
 */
export function readRetryAfter(headers: Headers, bodyDelay: string | undefined, now: number): number | undefined {
  const milliseconds = number(headers('retry-after-ms') ?? headers('x-ms-retry-after-ms'));
  if (milliseconds !== undefined) return milliseconds;
  const header = headers('retry-after');
  const seconds = number(header);
  if (seconds !== undefined) return toMilliseconds(seconds);
  // Every date of HTTP begins with a weekday; Date.parse would make one of almost any number, too.
  const date = /^[a-z]/i.test(header ?? '') ? Date.parse(header as string) : Number.NaN;
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const delay = number(bodyDelay?.replace(/s$/, ''));
  return delay === undefined ? undefined : toMilliseconds(delay);
}

/** A number of 0 or more. */
function number(text: string | undefined): number | undefined {
  if (text === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return undefined;
  return Number(text);
}

function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}
