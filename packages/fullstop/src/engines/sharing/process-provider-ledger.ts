import type { Clock } from '../port/clock.js';
import { minuteMs, waitForTurn } from '../rules/provider-turn.js';
import type { ProviderLedger } from './make-provider-gate.js';

interface Calls {
  readonly active: Set<string>;
  begun: number[];
  pausedUntil: number;
}

/** Counts the calls of one process. */
export function processProviderLedger(clock: Clock): ProviderLedger {
  const providers = new Map<string, Calls>();
  const callsOf = (provider: string): Calls => {
    const known = providers.get(provider) ?? { active: new Set(), begun: [], pausedUntil: 0 };
    providers.set(provider, known);
    return known;
  };
  return {
    async begin({ id, provider, limit }) {
      const calls = callsOf(provider);
      const now = clock.now();
      calls.begun = calls.begun.filter((at) => at > now - minuteMs);
      const wait = waitForTurn(limit, {
        pauseMs: calls.pausedUntil - now,
        active: calls.active.size,
        recent: calls.begun.length,
        oldestMs: now - (calls.begun[0] ?? now),
      });
      if (wait > 0) return wait;
      calls.active.add(id);
      calls.begun.push(now);
      return 0;
    },
    end({ id, provider }, pauseMs) {
      const calls = callsOf(provider);
      calls.active.delete(id);
      if (pauseMs !== undefined) calls.pausedUntil = Math.max(calls.pausedUntil, clock.now() + pauseMs);
    },
  };
}
