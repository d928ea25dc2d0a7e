import type { RunRecord } from '../../why/explain-run.js';

/** How many entries are kept, over all runs. */
const mostEntries = 400_000;

/** The records of runs that were looked at last. */
export class KeptRecords {
  readonly #records = new Map<string, RunRecord>();

  get(runId: string): RunRecord | undefined {
    return this.#records.get(runId);
  }

  keep(record: RunRecord): void {
    const { runId: latest } = record.summary;
    this.#records.delete(latest);
    this.#records.set(latest, record);
    let entries = [...this.#records.values()].reduce((sum, { journal }) => sum + journal.length, 0);
    for (const [runId, { journal }] of this.#records) {
      if (entries <= mostEntries || runId === latest) break;
      this.#records.delete(runId);
      entries -= journal.length;
    }
  }
}
