import { setTimeout as delay } from 'node:timers/promises';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { awaitGrace } from '../port/await-grace.js';
import { DefinitionSet } from '../port/definition-set.js';
import type { Engine, EngineWorker, RunnableDefinition } from '../port/engine.js';
import type { OpenedPostgres } from '../postgres/postgres-engine.js';
import { executeSession, releaseSessions } from '../store/execute-session.js';
import type { StoreSession } from '../store/store-session.js';
import type { DispatchResult } from './dbos-process.js';
import type { Dispatch } from './dispatch.js';

export interface DbosWorkerParts {
  readonly engine: Engine;
  readonly opened: Pick<OpenedPostgres, 'claim' | 'commits' | 'watch'>;
  readonly definitions: readonly RunnableDefinition[];
  readonly workerId: string;
  readonly concurrency: number;
  /** Called when it has more definitions. */
  onMore(worker: DbosWorker): void;
  /** Called once when it stops, before it waits for what is under way; settles when nothing more is dispatched to it. */
  onStop(worker: DbosWorker, graceMs: number): Promise<void>;
}

/** How long a store that fails is left alone before its run is dispatched again. */
const retryMs = 1000;

/** Executes the segments that DBOS dispatches to this process. */
export class DbosWorker implements EngineWorker {
  readonly workerId: string;
  readonly concurrency: number;
  readonly #definitions: DefinitionSet;
  readonly #parts: DbosWorkerParts;
  readonly #running = new Map<StoreSession, Promise<void>>();
  /** Those among them that returned their place to the queue. */
  readonly #aside = new Set<StoreSession>();
  #stopping: Promise<void> | undefined;

  constructor(parts: DbosWorkerParts) {
    this.#parts = parts;
    this.workerId = parts.workerId;
    this.concurrency = parts.concurrency;
    this.#definitions = new DefinitionSet(parts.definitions);
  }

  get definitions(): readonly RunnableDefinition[] {
    return this.#definitions.inTurn;
  }

  add(definitions: readonly RunnableDefinition[]): void {
    this.#definitions.add(definitions);
    if (this.#stopping === undefined) this.#parts.onMore(this);
  }

  definitionOf(wanted: Pick<Dispatch, 'name' | 'version'>): RunnableDefinition | undefined {
    return this.#stopping === undefined ? this.#definitions.find(wanted) : undefined;
  }

  get load(): number {
    return (this.#running.size - this.#aside.size) / this.concurrency;
  }

  /** Claims the run and executes it until it ends, is parked, or belongs to someone else. */
  async execute(definition: RunnableDefinition, { runId }: Dispatch): Promise<DispatchResult> {
    const { engine, opened } = this.#parts;
    let session: StoreSession | undefined;
    try {
      session = await opened.claim(runId, this.workerId);
    } catch (error) {
      if (FullstopError.is(error) && error.code === 'STORE_CORRUPT') return { result: 'damaged' };
      await delay(retryMs);
      return { result: 'store failed', message: String(error) };
    }
    if (session === undefined) {
      // Rare, unless a store gives out nothing at all: then it must not be asked again at once.
      await delay(retryMs);
      return { result: 'not claimed' };
    }
    if (this.#stopping !== undefined) return this.#giveBack(session);
    const aside = asideOf(session);
    const claimed = session;
    const execution = executeSession({ engine, ...opened }, { definition, session }).then(() => {
      this.#running.delete(claimed);
      this.#aside.delete(claimed);
    });
    this.#running.set(session, execution);
    const stepsAside = await Promise.race([aside, execution]);
    if (stepsAside !== true || !this.#running.has(session)) return this.#resultOf(runId, session.segment);
    this.#aside.add(session);
    return { result: 'waits for spawned runs' };
  }

  /** A run that was claimed while this worker was told to stop: nobody would wait for it. */
  async #giveBack(session: StoreSession): Promise<DispatchResult> {
    try {
      await releaseSessions(this.#parts.opened.commits, [session], false);
    } catch {
      // Released as soon as the store can.
      session.abandon();
    }
    return { result: 'released' };
  }

  async #resultOf(runId: string, segment: number): Promise<DispatchResult> {
    try {
      const summary = await this.#parts.engine.summary(runId);
      if (summary === undefined) return { result: 'removed' };
      const { kind, category, outcome, state } = summary;
      if (summary.segment !== segment || kind === undefined) return { result: state === 'ready' ? 'released' : state };
      return { result: 'ended', kind, category, outcome };
    } catch {
      return { result: 'let go' };
    }
  }

  stop(graceMs = 5000): Promise<void> {
    this.#stopping ??= this.#stop(graceMs);
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    const { engine, opened, onStop } = this.#parts;
    const left = onStop(this, graceMs);
    await awaitGrace(engine.clock, [...this.#running.values()], graceMs);
    await releaseSessions(opened.commits, [...this.#running.keys()], false);
    await left;
  }
}

/** Settles when a run does nothing but wait for runs that it has spawned: then the dispatch is over, and its place goes to others. */
function asideOf(session: StoreSession): Promise<true> {
  return new Promise((resolve) => {
    session.onAside = () => resolve(true);
  });
}
