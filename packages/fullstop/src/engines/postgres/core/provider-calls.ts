import { minuteMs, type ProviderCalls, waitForTurn } from '../../rules/provider-turn.js';
import type { ProviderCall } from '../../sharing/make-provider-gate.js';
import type { Sql } from '../connection/sql.js';

/** A call counts while its process shows signs of life. */
const isActive = `ended_at IS NULL AND (begun_at > clock_timestamp() - interval '15 seconds'
  OR EXISTS (SELECT 1 FROM @workers w WHERE w.id = owner AND w.seen_at + w.lease_ms * interval '1 millisecond' > clock_timestamp()))`;

interface KnownCalls extends Omit<ProviderCalls, 'pauseMs'> {
  readonly hasBegun: boolean;
}

/** Begins a call if the limits allow it, else returns how long to wait. All times are those of the database. */
export async function beginProviderCall(
  sql: Sql,
  { id, provider, limit }: ProviderCall,
  owner: string,
): Promise<number> {
  const pauseMs = await lockProvider(sql, provider);
  await sql.run(
    `DELETE FROM @provider_calls WHERE provider = $1 AND begun_at < clock_timestamp() - $2 * interval '1 millisecond' AND NOT (${isActive})`,
    [provider, minuteMs],
  );
  const known = await sql.row<KnownCalls>(
    `SELECT (count(*) FILTER (WHERE ${isActive}))::int AS active, (count(*) FILTER (WHERE id = $3)) > 0 AS "hasBegun",
       (count(*) FILTER (WHERE begun_at >= clock_timestamp() - $2 * interval '1 millisecond'))::int AS recent,
       coalesce(extract(epoch FROM clock_timestamp() - min(begun_at) FILTER (WHERE begun_at >= clock_timestamp() - $2 * interval '1 millisecond')) * 1000, 0)::float8 AS "oldestMs"
     FROM @provider_calls WHERE provider = $1`,
    [provider, minuteMs, id],
  );
  const { hasBegun = false, ...counts } = known ?? { active: 0, recent: 0, oldestMs: 0 };
  // Its beginning was committed before, and nobody heard of it: it must not wait for itself.
  const wait = hasBegun ? 0 : waitForTurn(limit, { ...counts, pauseMs });
  if (wait > 0) return wait;
  await sql.run(
    'INSERT INTO @provider_calls (id, provider, owner, begun_at) VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT (id) DO NOTHING',
    [id, provider, owner],
  );
  return 0;
}

/** Ends calls of a provider, and leaves it alone for a while; a pause never becomes shorter. */
export async function endProviderCalls(
  sql: Sql,
  { provider, ids, pauseMs }: { readonly provider: string; readonly ids: readonly string[]; readonly pauseMs: number },
): Promise<void> {
  // A beginning that nobody heard of may still be on its way to its commit: it has the lock until then.
  await lockProvider(sql, provider);
  sql.later('UPDATE @provider_calls SET ended_at = clock_timestamp() WHERE id = ANY($1::text[]) AND ended_at IS NULL', [
    ids,
  ]);
  if (pauseMs > 0)
    sql.later(
      `UPDATE @providers SET paused_until = greatest(paused_until, clock_timestamp() + $2 * interval '1 millisecond') WHERE name = $1`,
      [provider, pauseMs],
    );
}

/** Whoever has the row of a provider decides; all others wait for it. Returns how long the provider is still to be left alone. */
async function lockProvider(sql: Sql, provider: string): Promise<number> {
  sql.later('INSERT INTO @providers (name) VALUES ($1) ON CONFLICT DO NOTHING', [provider]);
  const row = await sql.row<{ pauseMs: number }>(
    `SELECT coalesce(ceil(extract(epoch FROM paused_until - clock_timestamp()) * 1000), 0)::float8 AS "pauseMs"
     FROM @providers WHERE name = $1 FOR UPDATE`,
    [provider],
  );
  return row?.pauseMs ?? 0;
}
