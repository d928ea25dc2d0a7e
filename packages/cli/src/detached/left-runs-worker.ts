import type { Engine, RunSession, RunSummary } from 'fullstop/engine';
import { isWorkflowRun } from '../journal/is-workflow-run.js';
import { executeStored } from '../workflow/execute-stored.js';
import type { RunWorker, WorkerParts } from '../workflow/workflow-worker.js';
import type { LeftRuns } from './left-runs.js';

const lookMs = 300;
/** How long a run is left alone whose execution failed without an ending. */
const retryMs = 60_000;

/**
 * Executes the runs that were left to this machine, with what they spawn, and no others: on a store that machines share, the rest is for workers that
 * somebody has started, within their limits.
 */
export class LeftRunsWorker implements RunWorker {
  readonly #parts: Omit<WorkerParts, 'definitions' | 'onFound' | 'pollMs'>;
  readonly #left: LeftRuns;
  readonly #workerId = `left_${process.pid}`;
  readonly #running = new Map<string, Promise<void>>();
  /** Runs that cannot be resumed here, at least for now. */
  readonly #refused = new Set<string>();
  #stopped = false;
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Omit<WorkerParts, 'definitions' | 'onFound' | 'pollMs'>, left: LeftRuns) {
    this.#parts = parts;
    this.#left = left;
  }

  start(): void {
    // A store that fails now may work again at the next look.
    this.#looking = this.#look()
      .catch(() => undefined)
      .then(() => {
        if (!this.#stopped) this.#timer = setTimeout(() => this.start(), lookMs);
      });
  }

  async #look(): Promise<void> {
    for (const runId of this.#left.list()) {
      if (this.#stopped || this.#running.size >= this.#parts.concurrency) return;
      if (!this.#running.has(runId) && (await this.#openRun(runId)) !== undefined) await this.#take(runId);
    }
  }

  /** The run, unless it is over: then it is taken from the list, and put back where somebody opened it at that moment. */
  async #openRun(runId: string): Promise<RunSummary | undefined> {
    const open = await this.#read(runId);
    if (open !== undefined) return open;
    this.#left.remove(runId);
    const reopened = await this.#read(runId);
    if (reopened !== undefined) this.#left.add([runId]);
    return reopened;
  }

  async #read(runId: string): Promise<RunSummary | undefined> {
    const { engine } = this.#parts;
    const summary = await engine.summary(runId);
    if (summary === undefined || summary.state === 'ended' || summary.damage !== undefined) return undefined;
    return isWorkflowRun(await engine.journal(runId, { limit: 1 })) ? summary : undefined;
  }

  async #take(runId: string): Promise<void> {
    const { engine } = this.#parts;
    const session = await engine.claim(runId, this.#workerId);
    if (session === undefined) return;
    if (this.#stopped) {
      await session.park(engine.clock.now());
      return;
    }
    const fenced = new Promise<void>((resolve) => {
      session.onFenced(resolve);
    });
    const execution = Promise.race([this.#execute(session, engine), fenced]).finally(() => this.#running.delete(runId));
    this.#running.set(runId, execution);
  }

  async #execute(session: RunSession, engine: Engine): Promise<void> {
    const { runId } = session.identity;
    const { counting } = this.#parts;
    try {
      await counting(session, async () => {
        if (await executeStored(this.#parts, session, engine)) this.#refused.delete(runId);
        else this.#refused.add(runId);
      });
    } catch {
      await session.park(engine.clock.now() + retryMs).catch(() => undefined);
    }
  }

  async isIdle({ sleepers }: { readonly sleepers: boolean }): Promise<boolean> {
    if (this.#running.size > 0) return false;
    for (const runId of this.#left.list()) {
      const open = this.#refused.has(runId) ? undefined : await this.#openRun(runId);
      if (open === undefined || (open.state === 'running' && open.orphaned !== true)) continue;
      if (open.state !== 'parked' || sleepers) return false;
    }
    return true;
  }

  /** Runs that are not finished in time are released with the engine. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all(this.#running.values()), late]);
    clearTimeout(timer);
  }
}
