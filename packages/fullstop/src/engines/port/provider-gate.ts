import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { wholeNumber } from './check-number.js';
import type { AbortSignalLike } from './engine.js';

/** Limits for the calls of one provider. */
export interface ProviderLimit {
  /** How many calls at once. */
  readonly concurrency?: number;
  /** How many calls may begin within any 60 seconds. */
  readonly perMinute?: number;
}

/** Limits by the names of providers, such as `openai`. One without limits is still left alone for as long as it asks for. */
export type ProviderLimits = Readonly<Record<string, ProviderLimit>>;

/** The right to make one call. */
export interface ProviderTurn {
  /** The call is over. With a time, the provider is to be left alone for so long, by everyone. */
  leave(pauseMs?: number): void;
}

/** Lets calls of a provider pass, one by one, as its limits allow. */
export interface ProviderGate {
  /** Waits for a turn; rejects with the reason of the signal. Undefined at once for a provider without limits. */
  enter(provider: string, signal: AbortSignalLike): Promise<ProviderTurn> | undefined;
}

/** Refuses limits that mean nothing. */
export function checkProviderLimits(limits: ProviderLimits, what: string): void {
  for (const [provider, limit] of Object.entries(limits)) {
    if (typeof limit !== 'object' || limit === null)
      throw new FullstopError(
        'INVALID_OPTION',
        `${what}: providerLimits.${provider} is no object; it must be { concurrency?, perMinute? }.`,
      );
    for (const [name, value] of Object.entries(limit)) {
      if (name !== 'concurrency' && name !== 'perMinute')
        throw new FullstopError(
          'INVALID_OPTION',
          `${what}: providerLimits.${provider} has ${name}; it may have concurrency and perMinute.`,
        );
      wholeNumber(value, `${what}: providerLimits.${provider}.${name}`);
    }
  }
}
