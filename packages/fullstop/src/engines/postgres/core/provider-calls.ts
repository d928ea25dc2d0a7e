import { minuteMs, type ProviderCalls, waitForTurn } from '../../rules/provider-turn.js';
import type { ProviderCall } from '../../sharing/make-provider-gate.js';
import type { Sql } from '../connection/sql.js';

/** A call counts while its process shows signs of life. */
const isActive = `ended_at IS NULL AND (begun_at > clock_timestamp() - interval '15 seconds'
  OR EXISTS (SELECT 1 FROM @workers w WHERE w.id = owner AND w.seen_at + w.lease_ms * interval '1 millisecond' > clock_timestamp()))`;

/** Begins a call if the limits allow it, else returns how long to wait. All times are those of the database. */
export async function beginProviderCall(
  sql: Sql,
  { id, provider, limit }: ProviderCall,
  owner: string,
): Promise<number> {
  await sql.run('INSERT INTO @providers (name) VALUES ($1) ON CONFLICT DO NOTHING', [provider]);
  // Whoever has the row decides; all others wait for it.
  const row = await sql.row<{ pauseMs: number }>(
    `SELECT coalesce(ceil(extract(epoch FROM paused_until - clock_timestamp()) * 1000), 0)::float8 AS "pauseMs"
     FROM @providers WHERE name = $1 FOR UPDATE`,
    [provider],
  );
  await sql.run(
    `DELETE FROM @provider_calls WHERE provider = $1 AND begun_at < clock_timestamp() - $2 * interval '1 millisecond' AND NOT (${isActive})`,
    [provider, minuteMs],
  );
  const counts = await sql.row<Omit<ProviderCalls, 'pauseMs'>>(
    `SELECT (count(*) FILTER (WHERE ${isActive}))::int AS active,
       (count(*) FILTER (WHERE begun_at >= clock_timestamp() - $2 * interval '1 millisecond'))::int AS recent,
       coalesce(extract(epoch FROM clock_timestamp() - min(begun_at) FILTER (WHERE begun_at >= clock_timestamp() - $2 * interval '1 millisecond')) * 1000, 0)::float8 AS "oldestMs"
     FROM @provider_calls WHERE provider = $1`,
    [provider, minuteMs],
  );
  const wait = waitForTurn(limit, { active: 0, recent: 0, oldestMs: 0, ...counts, pauseMs: row?.pauseMs ?? 0 });
  if (wait > 0) return wait;
  await sql.run('INSERT INTO @provider_calls (id, provider, owner, begun_at) VALUES ($1, $2, $3, clock_timestamp())', [
    id,
    provider,
    owner,
  ]);
  return 0;
}

export async function endProviderCall(sql: Sql, id: string): Promise<void> {
  await sql.run('UPDATE @provider_calls SET ended_at = clock_timestamp() WHERE id = $1', [id]);
}

/** Leaves a provider alone for a while; a pause never becomes shorter. */
export async function pauseProvider(sql: Sql, provider: string, milliseconds: number): Promise<void> {
  await sql.run(
    `INSERT INTO @providers (name, paused_until) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
     ON CONFLICT (name) DO UPDATE SET paused_until = greatest(providers.paused_until, excluded.paused_until)`,
    [provider, milliseconds],
  );
}
