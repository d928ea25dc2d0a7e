import type { OpenRequest } from 'fullstop';

/** The requests that can still be answered. One whose time has passed is open only until someone applies that. */
export function requestsOnTime(requests: readonly OpenRequest[], now: number = Date.now()): readonly OpenRequest[] {
  return requests.filter(({ deadline }) => deadline === undefined || deadline > now);
}
