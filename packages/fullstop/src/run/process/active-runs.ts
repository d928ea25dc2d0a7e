import type { Engine, RunSession } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { CancelRequest } from '../../engines/port/journal-entry.js';
import type { Execution } from '../segment/execution.js';

/** A segment that this process executes right now, or waits for while it sleeps in its store. */
export interface ActiveRun {
  readonly runId: string;
  readonly name: string;
  readonly engine: Engine;
  /** Settles when the segment is over: with its ending, or with undefined when it was released without one. */
  readonly over: Promise<Envelope | undefined>;
  /** Cancels it as the engine would, but without the way through the store. */
  cancel(request: CancelRequest): void;
  /**
   * Releases it for others to continue: steps under way may finish, new ones do not begin. With `now` nothing is waited
   * for, and what is under way is done again, or asked about if it was to be done once.
   */
  release(reason: string, options?: { readonly now?: boolean }): void;
}

interface ProcessState {
  readonly active: Set<ActiveRun>;
  /** Runs of which no segment need be executed at this moment. */
  readonly pending: Set<ActiveRun>;
  readonly released: WeakSet<RunSession>;
  /** Called with every run that is added to the list. */
  readonly listeners: Set<(run: ActiveRun) => void>;
}

// For the whole process, since that is what signals are sent to: every entry point has its own copy of this module.
const stateKey: symbol = Symbol.for('fullstop.active-runs');
const { active, pending, released, listeners } = processState(
  globalThis as unknown as Record<symbol, ProcessState | undefined>,
);

function processState(shared: Record<symbol, ProcessState | undefined>): ProcessState {
  const state = shared[stateKey] ?? {
    active: new Set(),
    pending: new Set(),
    released: new WeakSet(),
    listeners: new Set(),
  };
  shared[stateKey] = state;
  return state;
}

/** The segments that this process executes or waits for, all of them or those of one engine. */
export function activeRuns(engine?: Engine): readonly ActiveRun[] {
  const gaps = [...pending].filter((run) => !isExecuted(run));
  return [...active, ...gaps].filter((run) => engine === undefined || run.engine === engine);
}

/** True when a segment of a run is being executed here, or waited for while it sleeps. */
export function isExecuted({ runId, engine }: Pick<ActiveRun, 'engine' | 'runId'>): boolean {
  return [...active].some((run) => run.runId === runId && run.engine === engine);
}

/** Adds a run to the list, and returns what removes it. */
export function listRun(run: ActiveRun): () => void {
  return listIn(active, run);
}

/** Adds a run that is in the list whenever nothing else stands for it there, and returns what removes it. */
export function listPending(run: ActiveRun): () => void {
  return listIn(pending, run);
}

function listIn(list: Set<ActiveRun>, run: ActiveRun): () => void {
  list.add(run);
  for (const listener of listeners) listener(run);
  return () => void list.delete(run);
}

/** Calls back with every run that is listed from now on, and returns what ends that. */
export function onListed(listener: (run: ActiveRun) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** True when a segment was released for others, so that this process must not resume it. */
export function wasReleased(session: RunSession): boolean {
  return released.has(session);
}

/** The entry of a segment in the list, kept up to date by the segment itself. */
export class ActiveSegment implements ActiveRun {
  readonly runId: string;
  readonly name: string;
  readonly engine: Engine;
  readonly over: Promise<Envelope | undefined>;
  readonly #session: RunSession;
  readonly #unlist: () => void;
  #execution: Execution | undefined;
  #cancel: (request: CancelRequest) => void = () => undefined;
  #finish: (envelope: Envelope | undefined) => void = () => undefined;
  #releasing: string | undefined;
  #waiting: CancelRequest | undefined;

  constructor(engine: Engine, session: RunSession) {
    this.runId = session.identity.runId;
    this.name = session.identity.name;
    this.engine = engine;
    this.#session = session;
    this.over = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#unlist = listRun(this);
  }

  /** Under `alwaysReplay` one segment has many executions, one after the other. */
  attach(execution: Execution, cancel: (request: CancelRequest) => void): void {
    this.#execution = execution;
    this.#cancel = cancel;
    if (this.#releasing !== undefined) this.release(this.#releasing, { now: true });
    if (this.#waiting !== undefined) cancel(this.#waiting);
  }

  cancel(request: CancelRequest): void {
    this.#waiting = request;
    if (this.#execution?.state.closed === false) this.#cancel(request);
  }

  release(reason: string, options: { readonly now?: boolean } = {}): void {
    this.#releasing = reason;
    this.#execution?.rest.release(reason, options.now === true);
  }

  /** Called when it is certain that the segment goes to others. */
  letGo(): void {
    released.add(this.#session);
  }

  leave(envelope: Envelope | undefined): void {
    this.#unlist();
    this.#finish(envelope);
  }
}
