import type { AnswerReceipt } from '../port/request.js';
import { hasPassed } from './expiry.js';
import type { RequestFacts } from './request-facts.js';

export interface AnswerFacts {
  /** The answer that was delivered first, if one was. It counts for ever, even if its request was withdrawn. */
  readonly delivered: { readonly at: number; readonly by?: string | undefined } | undefined;
  readonly request: RequestFacts | undefined;
  /** True when the run has a closed ending. */
  readonly closed: boolean;
  readonly now: number;
}

/** Why an answer cannot be delivered; undefined when it can. */
export function refuseAnswer({ delivered, request, closed, now }: AnswerFacts): AnswerReceipt | undefined {
  if (delivered !== undefined) return makeReceiptOfFirst(delivered.at, delivered.by);
  // Only imported runs have answers that were never delivered here.
  if (request?.state === 'answered') return makeReceiptOfFirst(request.answeredAt ?? 0, request.answeredBy);
  if (closed) return { status: 'ended' };
  if (request === undefined) return { status: 'unknown' };
  const { deadline } = request;
  if (request.state === 'expired') return { status: 'expired', deadline: deadline ?? now };
  return hasPassed(deadline, now) ? { status: 'expired', deadline } : undefined;
}

function makeReceiptOfFirst(at: number, by: string | undefined): AnswerReceipt {
  return { status: 'already', at, ...(by !== undefined && { by }) };
}
