import type { Envelope } from 'fullstop';
import { UsageError } from '../command-line/usage-error.js';
import type { ResumeWishes } from './resume-wishes.js';

export interface ResumeQuestion {
  readonly runId: string;
  readonly ending: Envelope | undefined;
  /** The requests that can still be answered. */
  readonly requests: readonly { readonly id: string }[];
}

/** Says at once what cannot work. */
export function refuseResume({ runId, ending, requests }: ResumeQuestion, wishes: ResumeWishes): void {
  if (ending === undefined) return;
  if (!ending.open)
    throw new UsageError(
      `${runId} has a final ending and cannot be resumed: ${ending.summary} To run again: fullstop retry ${runId}`,
    );
  const isAsking = ending.category === 'paused' && requests.length > 0;
  if (isAsking && !wishes['skip-gates'] && wishes.deadline.length === 0)
    throw new UsageError(
      `${runId} waits for an answer to ${requests.map(({ id }) => id).join(', ')}. Answer it: fullstop answer ${runId}`,
    );
}
