import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defineRun, terminations } from 'fullstop';
import pg from 'pg';
import { median } from '../interleave.js';
import { line, mustBe } from './line.js';
import { openStore } from './open-store.js';

// A separate program: see `benchAlone`.

const [url = '', store = ''] = process.argv.slice(2);
const where = store === 'dbos' ? ' (DBOS)' : '';
const kills = 7;
const freezes = 3;
const shortLeaseMs = 3000;

const stuck = defineRun({
  name: 'stuck',
  run: async (context) => {
    await context.step('first', () => 1);
    await context.step('second', () => 2);
    return terminations.naturalEnd();
  },
});

/** When which part of a take-over was over, in milliseconds after the worker was lost. */
interface Parts {
  readonly unlocked: number;
  readonly released: number;
  readonly ended: number;
}

const shown = (values: readonly number[]): string =>
  `${median(values).toFixed(0)} ms, at most ${Math.max(...values).toFixed(0)} ms`;

interface Loss {
  readonly runId: string;
  readonly signal: NodeJS.Signals;
  readonly leaseMs: number;
}

async function lose(pool: pg.Pool, { runId, signal, leaseMs }: Loss): Promise<Parts> {
  const engine = openStore(store, url, leaseMs);
  await engine.start({ runId, name: stuck.name, version: stuck.version });
  const child = startWorker(leaseMs);
  await once(child, 'message');
  const worker = engine.worker([stuck]);
  const { rows } = await pool.query<{ owner: string; lock: number }>(
    'SELECT owner, lock FROM fullstop.runs r JOIN fullstop.workers w ON w.id = r.owner WHERE run_id = $1',
    [runId],
  );
  const [had] = rows;
  if (had === undefined) throw new Error(`Nobody has ${runId}.`);
  const start = performance.now();
  child.kill(signal);
  const since = (): number => performance.now() - start;
  const until = async (text: string, value: unknown): Promise<number> => {
    while ((await pool.query(text, [value])).rowCount !== 0) await sleep(5);
    return since();
  };
  const [unlocked, released, ended] = await Promise.all([
    signal === 'SIGKILL' ? until('SELECT 1 FROM pg_locks WHERE locktype = $$advisory$$ AND objid = $1', had.lock) : 0,
    until("SELECT 1 FROM fullstop.runs WHERE owner = $1 AND state = 'running'", had.owner),
    engine.waitForEnding(runId, 1).then(since),
  ]);
  mustBe((await engine.verify(runId)).status, 'consistent', 'the journal');
  mustBe((await engine.journal(runId, { types: ['step_ended'] })).length, 2, 'the steps');
  await worker.stop();
  await engine.close();
  child.kill('SIGKILL');
  return { unlocked, released, ended };
}

function startWorker(leaseMs: number): ChildProcess {
  const program = fileURLToPath(new URL('stuck-worker.ts', import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', program, url, String(leaseMs), store], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

// How long until another worker continues, with the times of its parts: the server notices, another releases the run, and does what is left.
const pool = new pg.Pool({ connectionString: url, max: 4 });
const dead: Parts[] = [];
for (let round = 0; round < kills; round += 1)
  dead.push(await lose(pool, { runId: `${store}-kill-${round}`, signal: 'SIGKILL', leaseMs: 15_000 }));
line(`a worker that is killed${where}: its session is gone`, shown(dead.map(({ unlocked }) => unlocked)));
line('  another has released its run', shown(dead.map(({ released }) => released)));
line('  and has ended it', `${shown(dead.map(({ ended }) => ended))} (within 2,000)`);
const frozen: Parts[] = [];
for (let round = 0; round < freezes; round += 1)
  frozen.push(await lose(pool, { runId: `${store}-freeze-${round}`, signal: 'SIGSTOP', leaseMs: shortLeaseMs }));
line(
  `a worker that is frozen, with a lease of ${shortLeaseMs} ms: ended`,
  `${shown(frozen.map(({ ended }) => ended))} (within ${shortLeaseMs + 2000})`,
);
await pool.end();
