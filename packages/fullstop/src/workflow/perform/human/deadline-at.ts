import { durationSeconds } from '../../schema/duration-seconds.js';

/** The time at which a question to a person expires. It was checked with the file, and may be days away, unlike the end of a wait. */
export function deadlineAt(deadline: string | number | undefined, now: number): number | undefined {
  const seconds = deadline === undefined ? undefined : durationSeconds(deadline);
  return seconds === undefined ? undefined : now + seconds * 1000;
}
