import { setTimeout as sleep } from 'node:timers/promises';
import { defineRun, terminations } from 'fullstop';
import { postgresEngine } from 'fullstop/engines/postgres';
import pg from 'pg';
import { line, mustBe, result } from './line.js';

const steps = 1000;

const long = defineRun({
  name: 'long',
  run: async (context) => {
    for (let step = 0; step < steps; step += 1) await context.step('work', () => result);
    return terminations.naturalEnd();
  },
});

/** The cost of one run of many steps for the server: commits by its own count, and bytes of its log. */
export async function benchCommits(url: string): Promise<void> {
  const first = postgresEngine({ url });
  await first.list({ limit: 1 });
  await first.close();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const before = await look(pool);
  const engine = postgresEngine({ url });
  await long.run(undefined, { engine, runId: 'long' });
  mustBe((await engine.journal('long', { types: ['step_ended'] })).length, steps, 'the steps of the run');
  mustBe((await engine.verify('long')).status, 'consistent', 'its journal');
  // Sessions report what they did when they end.
  await engine.close();
  while ((await pool.query("SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'fullstop%'")).rowCount !== 0)
    await sleep(50);
  await sleep(1500);
  const after = await look(pool);
  line(
    `commits per step, ${steps} steps, with start, claim and ending`,
    `${((after.commits - before.commits) / steps).toFixed(2)} (at most 1.1)`,
  );
  line('bytes of log (WAL) per step of 450 bytes', ((after.bytes - before.bytes) / steps).toFixed(0));
  const { rows } = await pool.query<{ table: string; bytes: number }>(
    `SELECT relname AS table, pg_total_relation_size(oid)::float AS bytes FROM pg_class WHERE relnamespace = 'fullstop'::regnamespace AND relname = 'journal'`,
  );
  const { rows: counted } = await pool.query<{ count: number }>(
    'SELECT count(*)::float AS count FROM fullstop.journal',
  );
  line('bytes on disk per entry, indexes included', ((rows[0]?.bytes ?? 0) / (counted[0]?.count ?? 1)).toFixed(0));
  await pool.end();
}

interface Look {
  readonly commits: number;
  readonly bytes: number;
}

async function look(pool: pg.Pool): Promise<Look> {
  await pool.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await pool.query<Look>(
    "SELECT xact_commit::float AS commits, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float AS bytes FROM pg_stat_database WHERE datname = current_database()",
  );
  return rows[0] as Look;
}
