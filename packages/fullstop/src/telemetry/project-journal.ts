import type { SpanContext } from '@opentelemetry/api';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import { checkProjected } from './check-telemetry-options.js';
import { originOf } from './openings.js';
import type { SegmentObserver, Telemetry } from './telemetry.js';

/** Emits the metrics and spans of a stored run, with the times of its journal: what was not followed when it happened. */
export function projectJournal(journal: readonly JournalEntry[], telemetry: Telemetry): void {
  checkProjected(journal, telemetry);
  if (!telemetry.enabled) return;
  const [first] = journal;
  if (first === undefined) return;
  const name = first.type === 'run_started' ? first.data.name : '';
  let observer: SegmentObserver | undefined;
  let [segment, earlier]: [number, SpanContext | undefined] = [0, undefined];
  for (const [index, entry] of journal.entries()) {
    if (entry.segment !== segment) {
      segment = entry.segment;
      const { runId, at: startedAt } = entry;
      const history = journal.slice(0, index);
      const origin = originOf(journal.slice(0, index + 1), segment, earlier);
      observer = telemetry.observe({ runId, name, segment, history, startedAt, ...origin });
      earlier = telemetry.lastSegment(runId);
    }
    observer?.entry(entry);
  }
  observer?.close(journal.at(-1)?.at ?? first.at, 'unfinished');
}
