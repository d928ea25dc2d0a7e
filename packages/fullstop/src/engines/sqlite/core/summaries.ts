import type { EntryData } from '../../port/journal-entry.js';
import { type EndingFacts, readEnding } from '../../rules/ending-facts.js';
import { shownState } from '../../rules/waking.js';
import type { Break } from '../../store/chain.js';
import type { InputOf, Instant, OutputOf, StoredSummary } from '../../store/operations.js';
import { type DamageCells, findRunDamage } from '../../store/rows/run-damage.js';
import { readIdentity } from '../../store/rows/run-identity.js';
import { wakingFacts } from '../../store/rows/run-waking.js';
import { lossOf, silenceSince } from './claims.js';
import { type Context, runStates } from './context.js';
import { type Columns, integer, optional, real, text, word } from './rows/columns.js';
import { isDamage } from './rows/damaged-row.js';
import { type IdentityRow, identityColumns } from './rows/identity-row.js';
import type { Found } from './rows/select.js';
import { whereOf } from './run-filter.js';

interface SummaryRow extends IdentityRow, DamageCells {
  readonly state: StoredSummary['state'];
  readonly wake_at: number | null;
  readonly worker: string | null;
  readonly owner: string | null;
  readonly segment: number;
  readonly started_at: number;
  readonly updated_at: number | null;
}

const summaryColumns: Columns<SummaryRow> = {
  ...identityColumns,
  state: word('state', runStates),
  wake_at: optional(integer('wake_at')),
  ending_seq: optional(integer('ending_seq')),
  worker: optional(text('worker')),
  owner: optional(text('owner')),
  segment: integer('segment'),
  started_at: integer('started_at'),
  closed: optional(integer('closed')),
  ended_at: optional(integer('ended_at')),
  kind: optional(text('kind')),
  category: optional(text('category')),
  outcome: optional(text('outcome')),
  summary: optional(text('summary')),
  input_tokens: optional(real('input_tokens')),
  output_tokens: optional(real('output_tokens')),
  total_tokens: optional(real('total_tokens')),
  cost_usd: optional(real('cost_usd')),
  duration_ms: optional(real('duration_ms')),
  estimated: optional(integer('estimated')),
  damaged_seq: optional(integer('damaged_seq')),
  damage: optional(text('damage')),
  updated_at: optional(integer('(SELECT at FROM journal WHERE run = runs.id ORDER BY seq DESC LIMIT 1)')),
  last_seq: optional(integer('(SELECT max(seq) FROM journal WHERE run = runs.id)')),
  noted_seq: optional(integer('(SELECT seq FROM endings WHERE run = runs.id AND segment = runs.segment)')),
};

/** A row of the list. Its ending is told as the journal has it; where the table says otherwise, the row is marked. */
function toSummary(context: Context, row: SummaryRow, { now, monotonic }: Instant): StoredSummary {
  const owner = row.state === 'running' ? row.owner : null;
  const ending = row.ending_seq === null ? undefined : readLinked(context, row, row.ending_seq);
  const damage = findRunDamage(row, ending, context.codec);
  return {
    ...readIdentity(row),
    state: shownState(wakingFacts(row, now)),
    worker: row.worker,
    isOrphaned: owner !== null && lossOf(context, owner, monotonic) !== undefined,
    silentSince: owner === null ? null : (silenceSince(context, owner, now) ?? null),
    segment: row.segment,
    startedAt: row.started_at,
    updatedAt: row.ended_at ?? row.updated_at ?? row.started_at,
    ending: ending === undefined || 'reason' in ending ? null : ending,
    damage: damage ?? null,
  };
}

/** The ending as the journal has it, or what is wrong with the entry. */
function readLinked({ reader }: Context, { id, run_id: runId }: SummaryRow, seq: number): EndingFacts | Break {
  try {
    const { type, data } = reader.linked(id, runId, seq);
    if (type !== 'segment_ended') return { seq, reason: `entry ${seq} is no ending` };
    return readEnding((JSON.parse(data) as EntryData['segment_ended']).envelope);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { seq, reason: error.message };
  }
}

/** A row of which not every cell can be read. */
function toRemains({ damaged, rest }: Extract<Found<SummaryRow>, { damaged: string }>): StoredSummary {
  return {
    runId: rest.run_id ?? '',
    name: rest.name ?? '',
    version: rest.version ?? '',
    parentRun: rest.parent_run ?? null,
    parentScope: rest.parent_scope ?? null,
    conversation: rest.conversation ?? null,
    turn: rest.turn ?? null,
    afterRun: rest.after_run ?? null,
    afterSegment: rest.after_segment ?? null,
    state: rest.state ?? 'ready',
    worker: rest.worker ?? null,
    isOrphaned: false,
    silentSince: null,
    segment: rest.segment ?? 1,
    startedAt: rest.started_at ?? 0,
    updatedAt: rest.updated_at ?? rest.started_at ?? 0,
    ending: null,
    damage: { seq: 0, reason: `its ${damaged} in the table of runs cannot be read` },
  };
}

function toFound(context: Context, found: Found<SummaryRow>, instant: Instant): StoredSummary {
  return 'row' in found ? toSummary(context, found.row, instant) : toRemains(found);
}

export function summary(context: Context, { runId, ...instant }: InputOf<'summary'>): OutputOf<'summary'> {
  const { connection } = context;
  const [found] =
    pick(connection.select(summaryColumns, 'FROM runs WHERE run_id = ?').found(runId)) ??
    // Rarely asked for what is not there: then a damaged index is worth a look at all rows.
    connection.select(summaryColumns, 'FROM runs NOT INDEXED WHERE run_id = ?').found(runId);
  if (found === undefined) return undefined;
  const stored = toFound(context, found, instant);
  if (stored.runId === runId || stored.damage !== null) return { ...stored, runId };
  return { ...stored, runId, damage: { seq: 0, reason: `it is stored under another id, ${stored.runId}` } };
}

function pick<T>(found: readonly T[]): readonly T[] | undefined {
  return found.length === 0 ? undefined : found;
}

/** Newest first; each filter that is given narrows the list. */
export function list(context: Context, filter: InputOf<'list'>): OutputOf<'list'> {
  const { where, values } = whereOf(context.codec, filter);
  return context.connection
    .select(summaryColumns, `FROM runs ${where} ORDER BY started_at DESC, run_id DESC LIMIT ?`)
    .found(...values, filter.limit)
    .map((found) => toFound(context, found, filter));
}
