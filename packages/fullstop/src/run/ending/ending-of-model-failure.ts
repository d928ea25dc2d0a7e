import { codeOf, type ModelFailure } from '../../models/errors/classify-model-error.js';
import type { Ending } from '../../termination/ending.js';
import type { Failed } from '../../termination/kinds/error.js';
import { classifyError } from './classify-error.js';

/** A model call that failed for good. */
export interface FailedModelCall {
  readonly attempts: number;
  /** `loop` unless given. */
  readonly origin?: Failed['origin'];
  /** Whose call it was. Where nobody has a name, an answer that was withheld is a request that was refused. */
  readonly agent?: string;
}

/** The ending that a failed model call means: one table for our own loops, for steps of any body and for runs of other frameworks. */
export function endingOfModelFailure(
  failure: ModelFailure,
  { attempts, origin = 'loop', agent }: FailedModelCall,
): Ending {
  const { type, provider, retryAfterMs, limit, used, error, message } = failure;
  const { seen, said } = evidenceOf(failure);
  if (type === 'auth') return { kind: 'provider_auth', ...seen, provider, ...said } as Ending;
  if (type === 'quota') return { kind: 'provider_quota', ...seen, provider, message: error.name, ...said } as Ending;
  if (type === 'context_length') {
    const sizes = { ...(limit !== undefined && { limit }), ...(used !== undefined && { used }) };
    return { kind: 'prompt_too_long', ...sizes, ...seen, ...said } as Ending;
  }
  if (type === 'rate_limit' || type === 'unavailable' || type === 'malformed') {
    const code = codeOf(error);
    return {
      kind: 'provider_failed',
      ...seen,
      attempts,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(provider !== '' && { provider }),
      ...(code !== undefined && { code }),
      ...said,
    } as Ending;
  }
  if (type === 'filtered' && agent !== undefined) {
    const { message: reason = error.name, ...asked } = said;
    return { kind: 'agent_refused', agentId: agent, reason, by: 'filter', ...seen, ...asked } as Ending;
  }
  // Of a refused request the provider's own words say what is wrong with it.
  const shown = isRefusedRequest(failure) && message !== undefined ? { ...error, message } : error;
  return { kind: 'failed', error: shown, origin, errorClass: classOf(failure) } as Ending;
}

/** The evidence that the provider gave about a call that it refused. */
function evidenceOf({ status, message, requestId, url }: ModelFailure): {
  readonly seen: Pick<ModelFailure, 'status'>;
  readonly said: Pick<ModelFailure, 'message' | 'requestId' | 'url'>;
} {
  const said = {
    ...(message !== undefined && { message }),
    ...(requestId !== undefined && { requestId }),
    ...(url !== undefined && { url }),
  };
  return { seen: status === undefined ? {} : { status }, said };
}

function isRefusedRequest({ type }: ModelFailure): boolean {
  return type === 'invalid_request' || type === 'filtered';
}

function classOf(failure: ModelFailure): Failed['errorClass'] {
  const { type, error } = failure;
  if (isRefusedRequest(failure)) return 'configuration';
  return type === 'aborted' ? 'external' : classifyError(error);
}
