import type { EntryData, EntryDraft } from '../port/journal-entry.js';
import type { EndingFacts } from '../rules/ending-facts.js';
import { readEffect } from '../rules/entry-effect.js';
import { changeRequest, type RequestFacts } from '../rules/request-facts.js';
import type { Break } from './chain.js';
import type { StoredEntry } from './operations.js';
import type { IdentityCells } from './rows/run-identity.js';

/** The cells of a run that repeat what its journal says. */
export interface RunCells extends IdentityCells {
  readonly segment: number;
  readonly ending_seq: number | null;
}

/** A row of the table of endings. */
export interface NotedEnding {
  readonly segment: number;
  readonly seq: number;
}

/** A request as its table has it. */
export interface RequestCells {
  readonly request: string;
  readonly state: RequestFacts['state'];
  readonly deadline: number | null;
  readonly answered_at: number | null;
  readonly answered_by: string | null;
}

const requestPrefix = 'request_';

/** The data of an entry as JSON text, wherever it is kept. */
export type OpenData = (entry: StoredEntry) => string;

export interface StoredParts {
  /** The journal, or of a long one at least `landmarks`. */
  readonly entries: readonly StoredEntry[];
  readonly endings: readonly NotedEnding[];
  readonly open: OpenData;
}

/**
 * Where the tables beside the journal of a run say something else than the journal, which is followed already. They are
 * there to be quick; whoever relies on them must not be told otherwise than by the entries.
 */
export function misfitOf(run: RunCells, { entries, endings, open }: StoredParts): Break | undefined {
  return startMisfit(run, entries[0], open) ?? endingsMisfit(endings, entries) ?? segmentMisfit(run, entries);
}

function startMisfit(run: RunCells, first: StoredEntry | undefined, open: OpenData): Break | undefined {
  if (first === undefined) return { seq: 1, reason: 'entry 1 is missing' };
  if (first.type !== 'run_started') return { seq: 1, reason: 'the journal does not begin with the start of the run' };
  const { name, version, parent, conversation } = JSON.parse(open(first)) as EntryData['run_started'];
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
function endingsMisfit(noted: readonly NotedEnding[], entries: readonly StoredEntry[]): Break | undefined {
  const told = new Map(entries.flatMap(({ type, seq, segment }) => (type === 'segment_ended' ? [[seq, segment]] : [])));
  for (const { seq, segment } of noted) {
    if (seq > lastSeq(entries)) return { seq, reason: `entry ${seq} is missing, the ending of segment ${segment}` };
    if (told.get(seq) !== segment) return { seq, reason: `entry ${seq} is not the ending of segment ${segment}` };
    told.delete(seq);
  }
  const [unnoted] = told.keys();
  if (unnoted === undefined) return undefined;
  return { seq: unnoted, reason: `the ending in entry ${unnoted} is missing in the table of endings` };
}

export function lastSeq(entries: readonly StoredEntry[]): number {
  return entries.at(-1)?.seq ?? 0;
}

/** Of entries those that the tables beside a journal repeat: its first and last, endings and requests. */
export function landmarks(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  const last = lastSeq(entries);
  return entries.filter(
    ({ seq, type }) => seq === 1 || seq === last || type === 'segment_ended' || type.startsWith(requestPrefix),
  );
}

function segmentMisfit(run: RunCells, entries: readonly StoredEntry[]): Break | undefined {
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

/** True when the table of requests says the same as the entries. */
export function fitsRequests(rows: readonly RequestCells[], entries: readonly StoredEntry[], open: OpenData): boolean {
  const told = requestsIn(entries, open);
  const isTold = rows.every((row) => {
    const facts = told.get(row.request);
    if (facts === undefined || (facts.deadline ?? null) !== row.deadline) return false;
    // A request is closed before the entry which says so.
    if (facts.state !== row.state) return facts.state === 'open' && row.state === 'expired';
    return (facts.answeredAt ?? null) === row.answered_at && (facts.answeredBy ?? null) === row.answered_by;
  });
  return isTold && rows.length === told.size;
}

/** The requests of a run as its entries tell of them. */
function requestsIn(entries: readonly StoredEntry[], open: OpenData): ReadonlyMap<string, RequestFacts> {
  const told = new Map<string, RequestFacts>();
  for (const entry of entries) {
    if (!entry.type.startsWith(requestPrefix)) continue;
    const { request } = readEffect({ ...entry, data: JSON.parse(open(entry)) } as EntryDraft) ?? {};
    if (request === undefined) continue;
    const facts = changeRequest(told.get(request.id), request);
    if (facts === undefined) told.delete(request.id);
    else told.set(request.id, facts);
  }
  return told;
}
