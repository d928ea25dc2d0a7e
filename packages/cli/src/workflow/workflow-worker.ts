import type { Engine, EngineWorker, RunnableDefinition, RunSession, RunState, RunSummary } from 'fullstop/engine';
import { isWorkflowRun } from '../journal/is-workflow-run.js';
import { executeStored, type StoredParts } from './execute-stored.js';

/** The worker of the command, whichever runs it takes. */
export interface RunWorker {
  start(): void;
  isIdle(question: { readonly sleepers: boolean }): Promise<boolean>;
  stop(graceMs: number): Promise<void>;
}

export interface WorkerParts extends StoredParts {
  readonly engine: Engine;
  readonly concurrency: number;
  /** Called around the execution of each segment of a workflow. */
  counting(session: RunSession, execute: () => Promise<void>): Promise<void>;
  readonly pollMs: number;
  /** Called with each workflow that is found. */
  onFound(name: string): void;
  /** Definitions of other programs. */
  readonly definitions: readonly RunnableDefinition[];
}

const states: readonly RunState[] = ['ready', 'running', 'parked'];
/** Of so many looks one is at parked runs too: there can be very many, and those of workflows that are known wake by themselves. */
const looksPerParked = 20;

/**
 * Executes the runs of all workflows in a store, each with the files that are stored with it. Workflows are found by the
 * runs that are not over.
 */
export class WorkflowWorker implements RunWorker {
  readonly #parts: WorkerParts;
  readonly #known = new Set<string>();
  /** One for all of them: what it executes at once is counted together. */
  readonly #worker: EngineWorker;
  /** Runs that cannot be resumed here, at least for now. */
  readonly #refused = new Set<string>();
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { engine, definitions, concurrency } = parts;
    this.#worker = engine.worker(definitions, { concurrency });
    this.#know(definitions);
  }

  /** Whoever executes a definition executes what its runs spawn. */
  #know(definitions: readonly RunnableDefinition[]): void {
    for (const { name, version, spawns = [] } of definitions) {
      const key = `${name}\n${version}`;
      if (this.#known.has(key)) continue;
      this.#known.add(key);
      this.#know(spawns);
    }
  }

  /** True when it executes runs of this name and version. */
  knows(name: string, version: string): boolean {
    return this.#known.has(`${name}\n${version}`);
  }

  /** Looks for workflows until it is stopped. */
  start(): void {
    let looks = 0;
    const look = async (): Promise<void> => {
      const among = looks % looksPerParked === 0 ? states : states.filter((state) => state !== 'parked');
      looks += 1;
      // A store that fails now may work again at the next look.
      await this.look(among).catch(() => undefined);
      if (!this.#stopped) this.#timer = setTimeout(() => void look(), this.#parts.pollMs * 5);
    };
    void look();
  }

  /** Finds workflows that have runs to continue and no worker yet. */
  async look(among: readonly RunState[] = states): Promise<void> {
    const { engine, onFound } = this.#parts;
    for (const state of among) {
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await engine.list({ state, limit: 1000, ...(cursor !== undefined && { cursor }) });
        cursor = page.next;
        for (const { runId, name, version } of page.runs) {
          const key = `${name}\n${version}`;
          if (this.#stopped || this.#known.has(key) || !isWorkflowRun(await engine.journal(runId, { limit: 1 })))
            continue;
          this.#known.add(key);
          const definition: RunnableDefinition = {
            name,
            version,
            execute: (session, inside) => this.#parts.counting(session, () => this.#execute(session, inside)),
          };
          this.#worker.add([definition]);
          onFound(name);
        }
      }
    }
  }

  /** Each run has the files and the model that are stored with it. */
  async #execute(session: RunSession, engine: Engine): Promise<void> {
    const { runId } = session.identity;
    // One that was refused before counts again only once it could be executed.
    if (await executeStored(this.#parts, session, engine)) this.#refused.delete(runId);
    else this.#refused.add(runId);
  }

  /**
   * True when nothing is left that this worker could do without a person: nothing of its own is running, and nothing is ready or orphaned
   * that it knows how to execute. Sleeping runs count where someone has to be there when they wake.
   */
  async isIdle({ sleepers }: { readonly sleepers: boolean }): Promise<boolean> {
    await this.look();
    const { workerId } = this.#worker;
    const isLeft = ({ runId, name, version, state, worker, orphaned }: RunSummary): boolean => {
      if (!this.#known.has(`${name}\n${version}`) || this.#refused.has(runId)) return false;
      return state !== 'running' || orphaned === true || worker === workerId;
    };
    for (const state of sleepers ? states : states.filter((each) => each !== 'parked')) {
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const page = await this.#parts.engine.list({ state, limit: 1000, ...(cursor !== undefined && { cursor }) });
        if (page.runs.some(isLeft)) return false;
        cursor = page.next;
      }
    }
    return true;
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#worker.stop(graceMs);
  }
}
