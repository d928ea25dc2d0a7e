import type { Clock } from '../port/clock.js';
import type { AbortSignalLike } from '../port/engine.js';
import { host } from '../port/host.js';
import type { ProviderGate, ProviderLimit, ProviderLimits, ProviderTurn } from '../port/provider-gate.js';

/** Where the calls of providers are counted. */
export interface ProviderLedger {
  /** Begins a call, or returns how long it has to wait. */
  begin(call: ProviderCall): Promise<number>;
  end(call: Pick<ProviderCall, 'id' | 'provider'>): Promise<void>;
  pause(provider: string, milliseconds: number): Promise<void>;
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
      const wait = await ledger.begin(call);
      if (wait === 0) break;
      await pass(Math.min(wait, longestWaitMs), signal, clock);
    }
    // What fails here is found by the next look: a call that nobody ends ends with its process.
    const leave = (pauseMs?: number): void => {
      const paused = pauseMs === undefined ? Promise.resolve() : ledger.pause(call.provider, pauseMs);
      void paused.then(() => ledger.end(call)).catch(() => undefined);
    };
    if (!signal.aborted) return { leave };
    leave();
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
