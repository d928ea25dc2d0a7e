import { frozenCopy } from '../../run/frozen.js';
import { normalise } from '../../run/unit/normalise.js';
import type { ExecutorDetails } from '../machine/stage-view.js';
import type { ExecutorCall, ExecutorResult } from '../options/stage-work.js';

/** Facts about work beyond its ending and its output, in the words of whatever did it. */
export type WorkDetails = () => Omit<ExecutorDetails, 'usage' | 'costUsd' | 'estimated'>;

/** The result with its details, where a callback looks at them: in the journal, so that it sees the same whenever it is asked. */
export function keepDetails(
  ran: ExecutorResult,
  { context, keepsDetails }: Pick<ExecutorCall<never>, 'context' | 'keepsDetails'>,
  details?: WorkDetails,
): ExecutorResult {
  if (keepsDetails !== true) return ran;
  const { usage, costUsd, estimated } = context.ledger;
  const used = { usage, costUsd, ...(estimated && { estimated }) };
  return { ...ran, details: frozenCopy(normalise({ ...used, ...details?.() })) as unknown as ExecutorDetails };
}
