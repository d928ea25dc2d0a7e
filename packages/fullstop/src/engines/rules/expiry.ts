import type { RequestFacts } from './request-facts.js';

/** True from the deadline on: an answer at that very instant is late. */
export function hasPassed(deadline: number | undefined, at: number): deadline is number {
  return deadline !== undefined && at >= deadline;
}

export interface ExpiryFacts {
  readonly request: RequestFacts | undefined;
  /** When an answer arrived that no entry has consumed, if one has. */
  readonly answeredAt: number | undefined;
}

/** Whether a request whose deadline has passed expires, or an answer had arrived in time. */
export function expireRequest({ request, answeredAt }: ExpiryFacts): 'answered' | 'expired' {
  const deadline = request?.deadline;
  const isInTime = answeredAt !== undefined && deadline !== undefined && !hasPassed(deadline, answeredAt);
  return isInTime ? 'answered' : 'expired';
}
