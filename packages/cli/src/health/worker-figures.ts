import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RunnableDefinition } from 'fullstop/engine';

/** Counts the segments that a worker has executed and is executing. */
export class WorkerFigures {
  readonly concurrency: number;
  started = 0;
  finished = 0;
  failed = 0;
  fenced = 0;
  isDraining = false;
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });

  constructor(concurrency: number) {
    this.concurrency = concurrency;
    this.#delay.enable();
  }

  /** The definition, counted. */
  counted({ name, version, execute, spawns }: RunnableDefinition): RunnableDefinition {
    return {
      name,
      version,
      execute: (session, engine) => this.count(session, () => execute(session, engine)),
      ...(spawns !== undefined && { spawns: spawns.map((each) => this.counted(each)) }),
    };
  }

  async count(session: { onFenced(listener: () => void): () => void }, execute: () => Promise<void>): Promise<void> {
    this.started += 1;
    session.onFenced(() => {
      this.fenced += 1;
    });
    try {
      await execute();
      this.finished += 1;
    } catch (error) {
      this.failed += 1;
      throw error;
    }
  }

  /** Everything in the text format of Prometheus. `storeUp` is whether the store answers. */
  exposition(storeUp: boolean): string {
    const { started, finished, failed, fenced, concurrency, isDraining } = this;
    const rows: readonly Row[] = [
      ['worker_segments_started_total', 'counter', 'Segments of runs that this worker has begun.', started],
      ['worker_segments_finished_total', 'counter', 'Segments that it has finished or parked.', finished],
      ['worker_segments_failed_total', 'counter', 'Segments that were left to others by an error.', failed],
      ['worker_segments_fenced_total', 'counter', 'Segments that another worker has taken over.', fenced],
      ['worker_segments_running', 'gauge', 'Segments that it executes now.', started - finished - failed],
      ['worker_concurrency', 'gauge', 'Segments that it may execute at once.', concurrency],
      ['worker_draining', 'gauge', '1 while it finishes and claims no more.', Number(isDraining)],
      ['worker_store_up', 'gauge', '1 while the store answers.', Number(storeUp)],
      ['worker_event_loop_delay_seconds', 'gauge', 'Mean delay of its event loop.', this.#meanDelay()],
      ['worker_resident_memory_bytes', 'gauge', 'Its resident memory.', process.memoryUsage.rss()],
    ];
    return rows
      .map(([name, type, help, value]) => {
        const full = `fullstop_${name}`;
        return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${full} ${value}\n`;
      })
      .join('');
  }

  #meanDelay(): number {
    const { mean } = this.#delay;
    return Number.isFinite(mean) ? mean / 1e9 : 0;
  }
}

type Row = readonly [name: string, type: 'counter' | 'gauge', help: string, value: number];
