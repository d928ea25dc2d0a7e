import type { EntryData } from '../../port/journal-entry.js';
import { type EndingFacts, readEnding } from '../../rules/ending-facts.js';
import { shownState } from '../../rules/waking.js';
import type { Break } from '../../store/chain.js';
import type { InputOf, Instant, OutputOf, StoredEntry, StoredSummary } from '../../store/operations.js';
import { type DamageCells, findRunDamage } from '../../store/rows/run-damage.js';
import { readIdentity } from '../../store/rows/run-identity.js';
import { wakingFacts } from '../../store/rows/run-waking.js';
import { type Context, type RunRow, runColumns } from './context.js';
import { type OwnerState, ownerStates } from './owners.js';
import { whereOf } from './run-filter.js';

interface SummaryRow extends RunRow, Omit<DamageCells, 'state'> {
  readonly closed: number | null;
  readonly worker: string | null;
  readonly started_at: number;
  readonly updated_at: number | null;
}

const summaryColumns = `${runColumns}, worker, started_at, ended_at, kind, category, outcome, summary, input_tokens, output_tokens, total_tokens, cost_usd,
  duration_ms, estimated,
  (SELECT at FROM @journal WHERE run = runs.id ORDER BY seq DESC LIMIT 1) AS updated_at,
  (SELECT max(seq) FROM @journal WHERE run = runs.id) AS last_seq,
  (SELECT seq FROM @endings WHERE run = runs.id AND segment = runs.segment) AS noted_seq`;

/** Rows of the list. Their endings are told as the journal has them; where the table says otherwise, the row is marked. */
async function toSummaries(
  context: Context,
  rows: readonly SummaryRow[],
  { now }: Instant,
): Promise<readonly StoredSummary[]> {
  const places = rows.flatMap(({ id, run_id: runId, ending_seq: seq }) =>
    seq === null ? [] : [{ run: id, runId, seq }],
  );
  const endings = await context.reader.linkedAll(places);
  const owners = rows.flatMap(({ state, owner }) => (state === 'running' && owner !== null ? [owner] : []));
  const states = await ownerStates(context, [...new Set(owners)]);
  return rows.map((row) => {
    const owner = row.state === 'running' && row.owner !== null ? states.get(row.owner) : undefined;
    return toSummary(context, row, { now, owner, linked: endings.get(row.id) });
  });
}

interface Around {
  readonly now: number;
  readonly owner: OwnerState | undefined;
  readonly linked: StoredEntry | Break | undefined;
}

function toSummary(context: Context, row: SummaryRow, { now, owner, linked }: Around): StoredSummary {
  const ending = linked && readLinked(row, linked);
  const damage = findRunDamage(row, ending, context.codec);
  return {
    ...readIdentity(row),
    state: shownState(wakingFacts(row, now)),
    worker: row.worker,
    isOrphaned: owner?.lost !== undefined,
    silentSince: owner?.silentSince ?? null,
    segment: row.segment,
    startedAt: row.started_at,
    updatedAt: row.ended_at ?? row.updated_at ?? row.started_at,
    ending: ending === undefined || 'reason' in ending ? null : ending,
    damage: damage ?? null,
  };
}

/** The ending as the journal has it, or what is wrong with the entry. */
function readLinked(row: SummaryRow, linked: StoredEntry | Break): EndingFacts | Break {
  if ('reason' in linked) return linked;
  if (linked.type !== 'segment_ended')
    return { seq: linked.seq, reason: `entry ${linked.seq} of ${row.run_id} is no ending` };
  return readEnding((JSON.parse(linked.data) as EntryData['segment_ended']).envelope);
}

export async function summary(
  context: Context,
  { runId, ...instant }: InputOf<'summary'>,
): Promise<OutputOf<'summary'>> {
  const rows = await context.sql.rows<SummaryRow>(`SELECT ${summaryColumns} FROM @runs AS runs WHERE run_id = $1`, [
    runId,
  ]);
  const [found] = await toSummaries(context, rows, instant);
  return found;
}

/** Newest first; each filter that is given narrows the list. */
export async function list(context: Context, filter: InputOf<'list'>): Promise<OutputOf<'list'>> {
  const { where, values } = whereOf(context.codec, filter);
  const rows = await context.sql.asked<SummaryRow>(
    `SELECT ${summaryColumns} FROM @runs AS runs ${where} ORDER BY started_at DESC, run_id DESC LIMIT $${values.length + 1}`,
    [...values, filter.limit],
  );
  return toSummaries(context, rows, filter);
}
