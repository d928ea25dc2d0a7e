import type { InputOf, OutputOf } from '../../store/operations.js';
import { kindsOf, type NamePart, namesOf, type TallyPart, usualIntervals } from '../../store/tally/tally-kinds.js';
import type { Context } from './context.js';
import { whereOf } from './run-filter.js';

interface SpanRow {
  readonly runs: number;
  readonly unfinished: number;
  readonly first: number | null;
  readonly last: number | null;
}

/** Counts runs where they are, so that a hundred thousand take no longer than a look. */
export async function tally(
  context: Context,
  { last, intervals = usualIntervals, ...filter }: InputOf<'tally'>,
): Promise<OutputOf<'tally'>> {
  const { where, values } = whereOf(context.codec, filter);
  const count = values.length;
  const newest = last === undefined ? '' : `ORDER BY started_at DESC, run_id DESC LIMIT $${count + 1}`;
  const given = last === undefined ? values : [...values, last];
  const counted = `SELECT name, kind, category, started_at, cost_usd, estimated, total_tokens, duration_ms FROM @runs ${where} ${newest}`;
  const { sql } = context;
  const [span] = await sql.asked<SpanRow>(
    `SELECT count(*)::int AS runs, (count(*) - count(kind))::int AS unfinished, min(started_at) AS first, max(started_at) AS last FROM (${counted}) c`,
    given,
  );
  const [from, to] = [span?.first ?? 0, span?.last ?? 0];
  const next = given.length;
  const parts = await sql.asked<TallyPart>(
    `SELECT kind, category, least((started_at - $${next + 1}::bigint) * $${next + 2}::bigint / $${next + 3}::bigint, $${next + 2}::bigint - 1)::int AS part,
       count(*)::int AS count, coalesce(sum(round((cost_usd * 1e9)::numeric)), 0)::double precision AS nanos, (count(*) - count(cost_usd))::int AS unpriced, count(estimated)::int AS estimated,
       coalesce(sum(total_tokens), 0) AS tokens, coalesce(sum(duration_ms), 0) AS duration
     FROM (${counted}) c WHERE kind IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    [...given, from, intervals, Math.max(to - from, 1)],
  );
  const named = await sql.asked<NamePart>(
    `SELECT name, category, count(*)::int AS count FROM (${counted}) c GROUP BY 1, 2 ORDER BY 1, 2`,
    given,
  );
  const [runs, unfinished] = [span?.runs ?? 0, span?.unfinished ?? 0];
  return { runs, unfinished, from, to, kinds: kindsOf(parts, intervals), names: namesOf(named) };
}
