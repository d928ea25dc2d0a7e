import type { InputOf, OutputOf } from '../../store/operations.js';
import { kindsOf, type NamePart, namesOf, type TallyPart, usualIntervals } from '../../store/tally/tally-kinds.js';
import type { Context } from './context.js';
import { type Columns, integer, optional, real, text } from './rows/columns.js';
import { whereOf } from './run-filter.js';

interface SpanRow {
  readonly runs: number;
  readonly unfinished: number;
  readonly first: number | null;
  readonly last: number | null;
}

const spanColumns: Columns<SpanRow> = {
  runs: integer('count(*)'),
  unfinished: integer('count(*) - count(kind)'),
  first: optional(integer('min(started_at)')),
  last: optional(integer('max(started_at)')),
};

const partColumns: Columns<TallyPart> = {
  kind: text('kind'),
  category: text('category'),
  part: integer('part'),
  count: integer('count'),
  nanos: real('nanos'),
  unpriced: integer('unpriced'),
  estimated: integer('estimated'),
  tokens: real('tokens'),
  duration: real('duration'),
};

const nameColumns: Columns<NamePart> = {
  name: text('name'),
  category: optional(text('category')),
  count: integer('count'),
};

/** Counts runs where they are, so that a hundred thousand take no longer than a look. */
export function tally(
  context: Context,
  { last, intervals = usualIntervals, ...filter }: InputOf<'tally'>,
): OutputOf<'tally'> {
  const { where, values } = whereOf(context.codec, filter);
  const chosen = `SELECT name, kind, category, started_at, cost_usd, estimated, total_tokens, duration_ms FROM runs ${where}`;
  const counted = last === undefined ? chosen : `${chosen} ORDER BY started_at DESC, run_id DESC LIMIT ?`;
  const given = last === undefined ? values : [...values, last];
  const { connection } = context;
  const span = connection.select(spanColumns, `FROM (${counted})`).get(...given);
  const [from, to] = [span?.first ?? 0, span?.last ?? 0];
  const parts = connection
    .select(
      partColumns,
      `FROM (SELECT kind, category, min(CAST((started_at - ?) * ? / ? AS INTEGER), ?) AS part, count(*) AS count, total(round(cost_usd * 1e9)) AS nanos,
       count(*) - count(cost_usd) AS unpriced, count(estimated) AS estimated, total(total_tokens) AS tokens, total(duration_ms) AS duration
       FROM (${counted}) WHERE kind IS NOT NULL GROUP BY 1, 2, 3)`,
    )
    .all(from, intervals, Math.max(to - from, 1), intervals - 1, ...given);
  const named = connection
    .select(nameColumns, `FROM (SELECT name, category, count(*) AS count FROM (${counted}) GROUP BY 1, 2)`)
    .all(...given);
  const [runs, unfinished] = [span?.runs ?? 0, span?.unfinished ?? 0];
  return { runs, unfinished, from, to, kinds: kindsOf(parts, intervals), names: namesOf(named) };
}
