import type { Link, SpanContext } from '@opentelemetry/api';
import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { JsonObject } from '../termination/json.js';
import { fromTraceparent } from './spans/traceparent.js';

/** The option of a start or a resume that says which trace it belongs to. */
export const traceOption = 'traceparent';

/** The trace that a segment of a run belongs to, as the journal says. */
interface SegmentOrigin {
  readonly parent: SpanContext | undefined;
  readonly links: readonly Link[];
}

/**
 * The parent of a segment is the span that started or resumed it, and it links to the segment before: to its span if that
 * is known, else to the span that opened that one.
 */
export function originOf(
  history: readonly JournalEntry[],
  segment: number,
  earlier: SpanContext | undefined,
): SegmentOrigin {
  let started: SpanContext | undefined;
  let [parent, before]: (SpanContext | undefined)[] = [];
  for (const entry of history) {
    const opened = readOpening(entry);
    if (opened === undefined) continue;
    const by = fromTraceparent(opened[traceOption]);
    if (entry.type === 'run_started') started = by;
    before = parent;
    parent = by ?? started;
  }
  const linked = segment === 1 ? undefined : (earlier ?? before);
  return { parent: parent ?? started, links: linked === undefined ? [] : [{ context: linked }] };
}

function readOpening(entry: JournalEntry): JsonObject | undefined {
  if (entry.type === 'run_started' || entry.type === 'segment_opened') return entry.data.options ?? {};
  return undefined;
}
