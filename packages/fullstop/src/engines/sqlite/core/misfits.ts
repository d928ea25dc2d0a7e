import type { EntryData } from '../../port/journal-entry.js';
import type { EndingFacts } from '../../rules/ending-facts.js';
import type { Break } from '../../store/chain.js';
import type { StoredEntry } from '../../store/operations.js';
import type { Context, RunRow } from './context.js';
import { integer } from './rows/columns.js';

const endingColumns = { segment: integer('segment'), seq: integer('seq'), closed: integer('closed') };

/**
 * Where the tables beside the journal of a run say something else than the journal, which is followed already. They are
 * there to be quick; whoever relies on them must not be told otherwise than by the entries.
 */
export function misfitOf(context: Context, run: RunRow, entries: readonly StoredEntry[]): Break | undefined {
  return startMisfit(context, run, entries[0]) ?? endingsMisfit(context, run, entries) ?? segmentMisfit(run, entries);
}

function startMisfit(context: Context, run: RunRow, first: StoredEntry | undefined): Break | undefined {
  if (first === undefined) return { seq: 1, reason: 'entry 1 is missing' };
  if (first.type !== 'run_started') return { seq: 1, reason: 'the journal does not begin with the start of the run' };
  const { name, version, parent, conversation } = dataOf<EntryData['run_started']>(context, first);
  const isSame =
    name === run.name &&
    version === run.version &&
    (parent?.runId ?? null) === run.parent_run &&
    (parent?.scope ?? null) === run.parent_scope &&
    (conversation?.id ?? null) === run.conversation &&
    (conversation?.turn ?? null) === run.turn &&
    (conversation?.after?.runId ?? null) === run.after_run &&
    (conversation?.after?.segment ?? null) === run.after_segment;
  return isSame
    ? undefined
    : { seq: 1, reason: 'the table of runs names another definition, parent or turn than the journal' };
}

/** Every ending of the journal is in the table of endings, and the other way round. */
function endingsMisfit({ connection }: Context, run: RunRow, entries: readonly StoredEntry[]): Break | undefined {
  const noted = connection.select(endingColumns, 'FROM endings WHERE run = ? ORDER BY segment').all(run.id);
  for (const { seq, segment } of noted) {
    const entry = entries[seq - 1];
    if (entry === undefined) return { seq, reason: `entry ${seq} is missing, the ending of segment ${segment}` };
    if (entry.type !== 'segment_ended' || entry.segment !== segment)
      return { seq, reason: `entry ${seq} is not the ending of segment ${segment}` };
  }
  const unnoted = entries.find(
    ({ type, seq }) => type === 'segment_ended' && !noted.some((ending) => ending.seq === seq),
  );
  return (
    unnoted && { seq: unnoted.seq, reason: `the ending in entry ${unnoted.seq} is missing in the table of endings` }
  );
}

function segmentMisfit(run: RunRow, entries: readonly StoredEntry[]): Break | undefined {
  const last = entries.at(-1) as StoredEntry;
  const { seq } = last;
  if (last.segment !== run.segment)
    return { seq, reason: `the table of runs says segment ${run.segment}, the journal ${last.segment}` };
  const endedAt = last.type === 'segment_ended' ? seq : null;
  if (endedAt === run.ending_seq) return undefined;
  return endedAt === null
    ? { seq, reason: 'the table of runs names an ending that the journal does not have' }
    : { seq, reason: 'the table of runs does not name the ending of the journal' };
}

/** The cells of a run that say how it ended. */
export interface EndingCells {
  readonly state: string;
  readonly closed: number | null;
  readonly ended_at: number | null;
  readonly kind: string | null;
  readonly category: string | null;
  readonly outcome: string | null;
  readonly summary: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  readonly cost_usd: number | null;
  readonly duration_ms: number | null;
  readonly estimated: number | null;
}

/** The difference between the table of runs and the ending in the journal, if there is one. */
export function endingMisfit(
  cells: EndingCells,
  facts: EndingFacts,
  decode: (text: string) => string,
): string | undefined {
  const summary = cells.summary === null ? null : decode(cells.summary);
  const pairs: readonly (readonly [name: string, stored: unknown, told: unknown])[] = [
    ['state', cells.state, facts.state],
    ['mark of being final', cells.closed, facts.open ? 0 : 1],
    ['time', cells.ended_at, facts.endedAt],
    ['kind', cells.kind, facts.kind],
    ['category', cells.category, facts.category],
    ['outcome', cells.outcome, facts.outcome],
    ['summary', summary, facts.summary],
    // Endings of the first schema had their usage in the entry alone, where a codec hides it.
    ...(cells.total_tokens === null ? [] : usagePairs(cells, facts)),
  ];
  return pairs.find(([, stored, told]) => stored !== told)?.[0];
}

function usagePairs(cells: EndingCells, facts: EndingFacts): readonly (readonly [string, unknown, unknown])[] {
  const { usage } = facts;
  return [
    ['usage', cells.input_tokens, usage.inputTokens],
    ['usage', cells.output_tokens, usage.outputTokens],
    ['usage', cells.total_tokens, usage.totalTokens],
    ['cost', cells.cost_usd, facts.costUsd],
    ['cost', cells.estimated === 1, facts.estimated === true],
    ['duration', cells.duration_ms, facts.durationMs],
  ];
}

function dataOf<TData>({ reader }: Context, entry: StoredEntry): TData {
  return JSON.parse(reader.open(entry).data) as TData;
}
