import { clearTimeout, setTimeout } from 'node:timers';
import { awaitGrace } from '../port/await-grace.js';
import type { Engine, EngineWorker, RunnableDefinition } from '../port/engine.js';
import type { Commits } from './commits.js';

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
  readonly #running = new Map<StoreSession, Promise<void>>();
  readonly #poke = (): void => void this.#take();
  #taking = false;
  #again = false;
  #stopped = false;
  #stopAlarm: () => void = () => undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.workerId = parts.workerId;
    parts.watch.workers.add(this.#poke);
    parts.watch.ensurePolling();
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
    const { definitions, concurrency, claimNext, engine } = this.#parts;
    const free = concurrency - this.#running.size;
    if (free <= 0) return;
    const { sessions, nextWakeAt } = await claimNext(definitions, free, this.workerId);
    if (this.#stopped) {
      await this.#release(sessions, false);
      return;
    }
    this.#stopAlarm();
    this.#stopAlarm = nextWakeAt === null ? () => undefined : engine.clock.callAt(nextWakeAt, this.#poke);
    for (const session of sessions) this.#begin(session);
  }

  #begin(session: StoreSession): void {
    const { definitions, engine, watch } = this.#parts;
    const { name, version } = session.identity;
    const definition = definitions.find((each) => each.name === name && each.version === version) as RunnableDefinition;
    // A run that was taken from us needs no slot while its ending is awaited.
    const finish = (): void => {
      if (this.#running.delete(session)) this.#poke();
    };
    session.onFenced(finish);
    const execution = definition.execute(session, engine).then(
      () => finish(),
      async () => {
        if (watch.sessions.get(session.identity.runId) === session)
          await this.#release([session], true).catch(() => undefined);
        finish();
      },
    );
    this.#running.set(session, execution);
  }

  async #release(sessions: readonly StoreSession[], crashed: boolean): Promise<void> {
    if (sessions.length === 0) return;
    const claims = sessions.map((session) => session.claim);
    await this.#parts.commits.ask('release', { claims, crashed });
    for (const session of sessions) session.lose();
  }

  async stop(graceMs = 5000): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#parts.watch.workers.delete(this.#poke);
    this.#stopAlarm();
    clearTimeout(this.#retry);
    await awaitGrace(this.#parts.engine.clock, [...this.#running.values()], graceMs);
    await this.#release([...this.#running.keys()], false);
  }
}
