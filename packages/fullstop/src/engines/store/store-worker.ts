import { clearTimeout, setTimeout } from 'node:timers';
import { awaitGrace } from '../port/await-grace.js';
import { DefinitionSet } from '../port/definition-set.js';
import type { Engine, EngineWorker, RunnableDefinition } from '../port/engine.js';
import type { Commits } from './commits.js';
import { executeSession, releaseSessions } from './execute-session.js';
import type { StoreSession } from './store-session.js';
import type { Watch } from './watch.js';

export interface WorkerParts {
  readonly engine: Engine;
  readonly definitions: readonly RunnableDefinition[];
  readonly workerId: string;
  readonly concurrency: number;
  readonly commits: Commits;
  readonly watch: Watch;
  claimNext(
    definitions: readonly RunnableDefinition[],
    limit: number,
    worker: string,
  ): Promise<{ readonly sessions: readonly StoreSession[]; readonly nextWakeAt: number | null }>;
}

/** How long to leave a failing store alone before it is asked for runs again. */
const retryMs = 1000;

/** Executes runs that are ready, up to its concurrency. */
export class StoreWorker implements EngineWorker {
  readonly workerId: string;
  readonly #parts: WorkerParts;
  readonly #definitions: DefinitionSet;
  readonly #running = new Map<StoreSession, Promise<void>>();
  readonly #poke = (): void => void this.#take();
  #taking = false;
  #again = false;
  #stopped = false;
  #stopAlarm: () => void = () => undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#definitions = new DefinitionSet(parts.definitions);
    this.workerId = parts.workerId;
    parts.watch.workers.add(this.#poke);
    parts.watch.ensurePolling();
    this.#poke();
  }

  add(definitions: readonly RunnableDefinition[]): void {
    this.#definitions.add(definitions);
    this.#poke();
  }

  async #take(): Promise<void> {
    this.#again = true;
    if (this.#taking) return;
    this.#taking = true;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#takeSome();
      }
    } catch {
      // The store fails: nothing is lost, the runs stay ready.
      this.#retry = setTimeout(this.#poke, retryMs);
    } finally {
      this.#taking = false;
    }
  }

  async #takeSome(): Promise<void> {
    const { concurrency, claimNext, engine } = this.#parts;
    const free = concurrency - this.#running.size;
    const definitions = this.#definitions.inTurn;
    if (free <= 0 || definitions.length === 0) return;
    const { sessions, nextWakeAt } = await claimNext(definitions, free, this.workerId);
    if (this.#stopped) {
      await this.#release(sessions);
      return;
    }
    this.#stopAlarm();
    this.#stopAlarm = nextWakeAt === null ? () => undefined : engine.clock.callAt(nextWakeAt, this.#poke);
    for (const session of sessions) this.#begin(session);
  }

  #begin(session: StoreSession): void {
    const definition = this.#definitions.serve(session.identity) as RunnableDefinition;
    const execution = executeSession(this.#parts, { definition, session }).then(() => {
      if (this.#running.delete(session)) this.#poke();
    });
    this.#running.set(session, execution);
  }

  #release(sessions: readonly StoreSession[]): Promise<void> {
    return releaseSessions(this.#parts.commits, sessions, false);
  }

  async stop(graceMs = 5000): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#parts.watch.workers.delete(this.#poke);
    this.#stopAlarm();
    clearTimeout(this.#retry);
    await awaitGrace(this.#parts.engine.clock, [...this.#running.values()], graceMs);
    await this.#release([...this.#running.keys()]);
  }
}
