import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { ProviderCall, ProviderLedger } from '../sharing/make-provider-gate.js';
import { beginProviderCall, endProviderCalls } from './core/provider-calls.js';
import type { PostgresStore } from './postgres-store.js';

/** The ends of calls to a provider, and its pause, that the database does not know yet. */
interface Unsaid {
  readonly ids: readonly string[];
  /** Until when the provider is to be left alone, in steady time; 0 when it is not. */
  readonly pausedUntil: number;
}

/** How long a store that failed is left alone before it is told again. */
const retryMs = 500;

/**
 * Counts the calls of providers in the database, for all processes. What the database cannot be told at once it is told later, whatever happens to
 * the run: a call that nobody ends would take one place of its provider for as long as this process lives.
 */
export class PostgresProviderLedger implements ProviderLedger {
  readonly #store: PostgresStore;
  readonly #owner: string;
  readonly #unsaid = new Map<string, Unsaid>();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: PostgresStore, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  async begin(call: ProviderCall): Promise<number> {
    try {
      return await this.#store.ask((sql) => beginProviderCall(sql, call, this.#owner));
    } catch (error) {
      // Nobody waits for an answer any longer, and it may have begun all the same.
      if (codeOf(error) === 'STORE_IO') this.end(call);
      throw error;
    }
  }

  end({ id, provider }: Pick<ProviderCall, 'id' | 'provider'>, pauseMs?: number): void {
    void this.#say(provider, { ids: [id], pausedUntil: pauseMs === undefined ? 0 : performance.now() + pauseMs });
  }

  async #say(provider: string, unsaid: Unsaid): Promise<void> {
    const { ids, pausedUntil } = unsaid;
    try {
      await this.#store.askOnce((sql) =>
        endProviderCalls(sql, { provider, ids, pauseMs: Math.ceil(pausedUntil - performance.now()) }),
      );
    } catch (error) {
      // The calls of a process that has closed its store end with its lease.
      if (codeOf(error) !== 'STORE_CLOSED') this.#keep(provider, unsaid);
    }
  }

  #keep(provider: string, { ids, pausedUntil }: Unsaid): void {
    const kept = this.#unsaid.get(provider);
    this.#unsaid.set(provider, {
      ids: [...(kept?.ids ?? []), ...ids],
      pausedUntil: Math.max(kept?.pausedUntil ?? 0, pausedUntil),
    });
    clearTimeout(this.#timer);
    // Keeps no process alive: without it the calls are over anyway.
    this.#timer = setTimeout(() => this.#sayKept(), retryMs).unref();
  }

  #sayKept(): void {
    const kept = [...this.#unsaid];
    this.#unsaid.clear();
    for (const [provider, unsaid] of kept) void this.#say(provider, unsaid);
  }
}

function codeOf(error: unknown): string | undefined {
  return FullstopError.is(error) ? error.code : undefined;
}
