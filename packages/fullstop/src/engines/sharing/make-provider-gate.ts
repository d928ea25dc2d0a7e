import type { Clock } from '../port/clock.js';
import type { AbortSignalLike } from '../port/engine.js';
import { host } from '../port/host.js';
import type { ProviderGate, ProviderLimit, ProviderLimits, ProviderTurn } from '../port/provider-gate.js';

/** Where the calls of providers are counted. */
export interface ProviderLedger {
  /** Begins a call, or returns how long it has to wait. One that cannot be begun does not count. */
  begin(call: ProviderCall): Promise<number>;
  /** Ends a call, now or as soon as it can be written; nobody waits for that. With a time, the provider is left alone for so long. */
  end(call: Pick<ProviderCall, 'id' | 'provider'>, pauseMs?: number): void;
}

export interface ProviderCall {
  readonly id: string;
  readonly provider: string;
  readonly limit: ProviderLimit;
}

/** No wait is longer than this without another look: others may have changed what is known. */
const longestWaitMs = 5000;

/** Makes the gate of a ledger of calls. */
export function makeProviderGate(limits: ProviderLimits, ledger: ProviderLedger, clock: Clock): ProviderGate {
  const enter = async (call: ProviderCall, signal: AbortSignalLike): Promise<ProviderTurn> => {
    for (;;) {
      if (signal.aborted) throw signal.reason;
      const wait = await begin(ledger, call, signal);
      if (wait === 0) break;
      await pass(Math.min(wait, longestWaitMs), signal, clock);
    }
    if (!signal.aborted) return { leave: (pauseMs) => ledger.end(call, pauseMs) };
    ledger.end(call);
    throw signal.reason;
  };
  return {
    enter: (named, signal) => {
      const provider = named in limits ? named : (named.split('.')[0] ?? named);
      const limit = limits[provider];
      return limit && enter({ id: host.crypto.randomUUID(), provider, limit }, signal);
    },
  };
}

/** Begins a call, or gives up when the signal is aborted, however long the ledger takes; a call that begins after that is over at once. */
function begin(ledger: ProviderLedger, call: ProviderCall, signal: AbortSignalLike): Promise<number> {
  return new Promise((resolve, reject) => {
    let isGivenUp = false;
    const giveUp = (): void => {
      isGivenUp = true;
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    ledger.begin(call).then(
      (wait) => {
        signal.removeEventListener('abort', giveUp);
        if (isGivenUp && wait === 0) ledger.end(call);
        resolve(wait);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', giveUp);
        reject(error);
      },
    );
  });
}

/** Waits, unless the signal is aborted. */
function pass(milliseconds: number, signal: AbortSignalLike, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      stop();
      reject(signal.reason);
    };
    const stop = clock.callAt(clock.now() + milliseconds, () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    });
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
