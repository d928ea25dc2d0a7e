import type { Engine, RunSession } from '../engines/port/engine.js';
import type { FaultPlan } from './fault-plan.js';
import { FaultySession } from './faulty-session.js';

/** A run that the inner engine gave out once, and who has it now. */
interface Owned {
  readonly inner: RunSession;
  session: FaultySession | undefined;
  losses: number;
  /** True when the inner session has concluded or parked: then the inner engine decides who is next. */
  over: boolean;
  readonly listeners: Set<() => void>;
}

/** Knows who has which run, and hands a run whose owner was lost to the next who asks. */
export class RunOwners {
  readonly #engine: Engine;
  readonly #plan: FaultPlan;
  readonly #owned = new Map<string, Owned>();

  constructor(engine: Engine, plan: FaultPlan) {
    this.#engine = engine;
    this.#plan = plan;
  }

  sleep(milliseconds: number): Promise<void> {
    const { clock } = this.#engine;
    return new Promise((resolve) => {
      clock.callAt(clock.now() + milliseconds, resolve);
    });
  }

  async claim(runId: string, workerId: string): Promise<RunSession | undefined> {
    const owned = this.#owned.get(runId);
    if (owned !== undefined && owned.session === undefined && !owned.over)
      return this.#hand(owned, await this.#engine.journal(runId));
    const inner = await this.#engine.claim(runId, workerId);
    return inner === undefined ? undefined : this.adopt(inner);
  }

  /** Takes a session of the inner engine into account. */
  adopt(inner: RunSession): FaultySession {
    const owned: Owned = { inner, session: undefined, losses: 0, over: false, listeners: new Set() };
    this.#owned.set(inner.identity.runId, owned);
    return this.#hand(owned, inner.history);
  }

  /** The session that has a run at the moment. */
  sessionOf(runId: string): FaultySession | undefined {
    const owned = this.#owned.get(runId);
    return owned?.over === true ? undefined : owned?.session;
  }

  /** Settles when the owner of a run is gone. */
  lost(runId: string): Promise<void> {
    const owned = this.#owned.get(runId);
    return new Promise((resolve) => {
      if (owned?.session === undefined) resolve();
      else owned.listeners.add(resolve);
    });
  }

  #hand(owned: Owned, history: RunSession['history']): FaultySession {
    const session = new FaultySession({
      inner: owned.inner,
      plan: this.#plan,
      history,
      recoveries: owned.inner.recoveries + owned.losses,
      sleep: (milliseconds) => this.sleep(milliseconds),
      onLost: () => this.#lose(owned),
      onOver: () => {
        owned.over = true;
      },
    });
    owned.session = session;
    return session;
  }

  #lose(owned: Owned): void {
    owned.losses += 1;
    owned.session = undefined;
    for (const listener of [...owned.listeners]) listener();
    owned.listeners.clear();
  }
}
