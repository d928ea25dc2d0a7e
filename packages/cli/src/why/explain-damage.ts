import { type DamagedRun, explainRun, type RunRecord } from './explain-run.js';
import type { Explanation } from './explanation.js';

/** Explains a run, or why it is not explained. */
export function explainRecord(record: RunRecord | DamagedRun, store?: string): Explanation {
  return 'damage' in record ? explainDamage(record) : explainRun(record, { store });
}

/** Says where what is stored of a run is damaged, instead of telling what it says. */
export function explainDamage({ summary, damage }: DamagedRun): Explanation {
  const { runId, name, state, segment, startedAt } = summary;
  const where = damage.seq === 0 ? 'What is stored of it is damaged' : `Its journal is broken at entry ${damage.seq}`;
  return {
    runId,
    name,
    state,
    segment,
    damage,
    headline: `${where}: ${sentence(damage.reason)}`,
    because: [
      'somebody or something changed the store; what it says about this run is not told, since it may not be so',
    ],
    counters: [],
    also: [],
    did: [],
    decided: [],
    waiting: [],
    startedAt,
    next: [
      {
        text: 'The run is set aside, and others continue. To see what else is damaged',
        command: 'fullstop verify --all',
      },
      { text: 'Restore the store from a backup, or the run from an export in another store' },
      { text: 'To look at what is there, as it is', command: `fullstop events ${runId}` },
    ],
  };
}

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
