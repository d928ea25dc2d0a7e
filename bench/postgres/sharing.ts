import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type PostgresEngine, postgresEngine } from 'fullstop/engines/postgres';
import pg from 'pg';
import { median } from '../interleave.js';
import { line, mustBe } from './line.js';
import { crews, stepsOfEach } from './sharing-crews.js';

const runs = 400;
const rounds = 7;

/** The throughput of one and of two worker processes, in turn. The server has the same cores. */
export async function benchSharing(url: string): Promise<void> {
  const engine = postgresEngine({ url });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await engine.list({ limit: 1 });
  const workers = [startWorker(url, ['one', 'halves', 'two']), startWorker(url, ['halves', 'two'])];
  try {
    for (const worker of workers) await once(worker, 'message');
    const rates = new Map<string, number[]>(crews.map(({ name }) => [name, []]));
    // The first round warms everything up.
    for (let round = 0; round <= rounds; round += 1)
      for (const { name } of crews) {
        const rate = await rateOf(engine, pool, name, `sharing-${name}-${round}`);
        if (round > 0) rates.get(name)?.push(rate);
      }
    for (const { name, label } of crews) line(label, `${shown(rates.get(name) ?? [])} steps a second`);
    const ratio = (name: string): string =>
      `${median((rates.get(name) ?? []).map((rate, index) => rate / (rates.get('one')?.[index] ?? Number.NaN))).toFixed(2)}x`;
    line(
      'two with half of the places each to one',
      `${ratio('halves')} (smaller batches: more commits for as many steps)`,
    );
    line('two worker processes to one', `${ratio('two')} (at least 1; the server shares their cores)`);
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await engine.close();
    await pool.end();
  }
}

/** Steps a second between the first start and the last ending, as the table has them. */
async function rateOf(engine: PostgresEngine, pool: pg.Pool, name: string, prefix: string): Promise<number> {
  const ids = Array.from({ length: runs }, (_, index) => `${prefix}-${index}`);
  await Promise.all(ids.map((runId) => engine.start({ runId, name, version: '1' })));
  for (const runId of ids) mustBe((await engine.waitForEnding(runId, 1)).termination.kind, 'natural_end', runId);
  const { rows } = await pool.query<{ count: number; passed: number; owners: number }>(
    `SELECT count(*)::int AS count, (max(ended_at) - min(started_at))::float AS passed, count(DISTINCT worker)::int AS owners
     FROM fullstop.runs WHERE run_id LIKE $1`,
    [`${prefix}-%`],
  );
  const [{ count, passed, owners } = { count: 0, passed: 0, owners: 0 }] = rows;
  mustBe(count, runs, 'the runs that have ended');
  mustBe(owners, crews.find((crew) => crew.name === name)?.members, `the workers that took part in ${prefix}`);
  return (runs * stepsOfEach * 1000) / passed;
}

function startWorker(url: string, names: readonly string[]): ChildProcess {
  const program = fileURLToPath(new URL('sharing-worker.ts', import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', program, url, ...names], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

const shown = (values: readonly number[]): string =>
  `${median(values).toFixed(0)} (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
