import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { defineRun, terminations } from 'fullstop';
import { type SqliteEngine, type SqliteEngineOptions, sqliteEngine } from 'fullstop/engines/sqlite';
import { median } from './interleave.js';
import { benchLargeValues } from './sqlite-large.js';

interface BareDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown };
  close(): void;
}

const Libsql = createRequire(import.meta.url)('libsql') as new (file: string) => BareDatabase;

const result = { text: 'x'.repeat(400) };

/** Parked runs, a single run, many runs at once, and resumes of long ones, on a real file with synchronous=FULL. */
export async function benchSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
  try {
    benchParkedAlone();
    await benchSingle(folder);
    await benchLargeValues(folder);
    for (const thread of [false, true]) {
      for (const runs of [100, 1000]) await benchConcurrent(folder, { runs, thread });
    }
    await benchGrouping(folder);
    await benchResume(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function line(name: string, value: string): void {
  console.log(`  ${name.padEnd(52)} ${value}`);
}

function bareDatabase(folder: string): (count: number) => void {
  const database = new Libsql(join(folder, 'bare.db'));
  for (const pragma of ['journal_mode = WAL', 'synchronous = FULL']) database.exec(`PRAGMA ${pragma}`);
  // The same row and the same index, and nothing else.
  database.exec(`CREATE TABLE journal (id INTEGER PRIMARY KEY, run INTEGER, segment INTEGER, seq INTEGER, scope TEXT, ordinal INTEGER, at INTEGER,
    type TEXT, key TEXT, data TEXT, hash TEXT)`);
  database.exec('CREATE UNIQUE INDEX journal_place ON journal (run, seq)');
  const insert = database.prepare(
    'INSERT INTO journal (run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const text = JSON.stringify({ ok: true, value: result, attempts: 1 });
  const hash = '0'.repeat(64);
  let seq = 0;
  return (count) => {
    for (let row = 0; row < count; row += 1)
      insert.run(1, 1, ++seq, '', seq, 1_800_000_000_000, 'step_ended', 'work', text, hash);
  };
}

/** The steps of one run against bare inserts with their commits, in turns. */
async function benchSingle(folder: string): Promise<void> {
  console.log('\nsqlite, one run (synchronous=FULL)');
  const count = 100;
  const bare = bareDatabase(folder);
  const times = { bare: [] as number[], step: [] as number[] };
  const pairs = defineRun({
    name: 'pairs',
    run: async (context) => {
      for (let round = 0; round < 50; round += 1) {
        const first = performance.now();
        bare(count);
        const second = performance.now();
        for (let step = 0; step < count; step += 1) await context.step('work', () => result);
        const third = performance.now();
        if (round < 5) continue;
        times.bare.push(((second - first) * 1000) / count);
        times.step.push(((third - second) * 1000) / count);
      }
      return terminations.naturalEnd();
    },
  });
  const engine = sqliteEngine(join(folder, 'single.db'));
  await pairs.run(undefined, { engine });
  await engine.close();
  const ratio = median(times.step.map((time, round) => time / (times.bare[round] ?? Number.NaN)));
  line('bare insert + commit', `${median(times.bare).toFixed(0)} us`);
  line('step', `${median(times.step).toFixed(0)} us   ${ratio.toFixed(2)}x (median of pairs; at most 1.5)`);
}

interface Concurrency {
  readonly runs: number;
  readonly thread: boolean;
}

/** Many runs at once: the rate of their steps against that of a run alone, in turns, because the speed of disks varies. */
async function benchConcurrent(folder: string, { runs, thread }: Concurrency): Promise<void> {
  console.log(`\nsqlite, ${runs} runs at once, ${thread ? 'in a thread' : 'in the event loop'}`);
  const options: SqliteEngineOptions = { thread };
  const engine = sqliteEngine(join(folder, `many-${runs}-${thread}.db`), options);
  const other = sqliteEngine(join(folder, `alone-${runs}-${thread}.db`));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const times = { alone: [] as number[], together: [] as number[] };
  for (let round = 0; round < 6; round += 1) {
    const alone = await timeTogether(other, 1, 500);
    if (round > 0) delay.enable();
    const together = await timeTogether(engine, runs, 100);
    delay.disable();
    if (round === 0) continue;
    times.alone.push(alone);
    times.together.push(together);
  }
  await Promise.all([engine.close(), other.close()]);
  const ratios = times.alone.map((alone, round) => alone / (times.together[round] ?? Number.NaN));
  const least = runs === 100 ? 8 : 14;
  line('step', `${median(times.together).toFixed(1)} us, alone ${median(times.alone).toFixed(0)} us`);
  line(
    'rate of steps against that of a run alone',
    `${median(ratios).toFixed(1)}x (median of pairs), ${(Math.min(...times.alone) / Math.min(...times.together)).toFixed(1)}x (best times; at least ${least})`,
  );
  line(
    'event-loop delay',
    `p50 ${milliseconds(delay.percentile(50))}, p99 ${milliseconds(delay.percentile(99))}, max ${milliseconds(delay.max)}`,
  );
}

/** The time per step while all runs are active: from the start of the last one to the end of the last one. */
async function timeTogether(engine: SqliteEngine, runs: number, steps: number): Promise<number> {
  let begun = 0;
  let start = 0;
  let end = 0;
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const counting = defineRun({
    name: 'counting',
    run: async (context) => {
      begun += 1;
      if (begun === runs) {
        start = performance.now();
        open();
      }
      await gate;
      for (let step = 0; step < steps; step += 1) await context.step('work', () => result);
      end = performance.now();
      return terminations.naturalEnd();
    },
  });
  await Promise.all(Array.from({ length: runs }, () => counting.run(undefined, { engine })));
  return ((end - start) * 1000) / (runs * steps);
}

function milliseconds(nanoseconds: number): string {
  return `${(nanoseconds / 1e6).toFixed(1)} ms`;
}

/** How many entries share a commit when 100 runs are ready at the same time. */
async function benchGrouping(folder: string): Promise<void> {
  const file = join(folder, 'grouping.db');
  const engine = sqliteEngine(file);
  const ids = Array.from({ length: 100 }, (_, index) => `run-${index}`);
  await Promise.all(ids.map((runId) => engine.start({ runId, name: 'grouping', version: '1' })));
  const sessions = await Promise.all(ids.map((runId) => engine.claim(runId, 'bench')));
  const before = commitsInLog(file);
  const rounds = 5;
  for (let ordinal = 0; ordinal < rounds; ordinal += 1) {
    await Promise.all(
      sessions.map((session) => {
        session?.append({
          type: 'step_ended',
          scope: '',
          ordinal,
          key: 'work',
          at: ordinal,
          data: { ok: true, attempts: 1, value: result },
        });
        return session?.flush();
      }),
    );
  }
  const commits = commitsInLog(file) - before;
  await engine.close();
  console.log('\nsqlite, 100 runs that are ready at the same time');
  line('rows per commit', `${((ids.length * rounds) / commits).toFixed(0)} (at least 90)`);
}

/** Every commit ends with a frame of the write-ahead log that carries the size of the database; the others carry 0. */
function commitsInLog(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const frame = log.readUInt32BE(8) + 24;
  let commits = 0;
  for (let at = 32; at + 24 <= log.length; at += frame) if (log.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
}

/** In a process of its own: how much a process has grown says nothing once others have worked in it. */
function benchParkedAlone(): void {
  const program = fileURLToPath(new URL('./sqlite-parked.ts', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', program], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The process with the parked runs ended with ${status}: ${stderr}`);
  console.log(stdout);
}

/** A run with 10,000 entries of 1 KB, claimed with its chain verified. */
async function benchResume(folder: string): Promise<void> {
  console.log('\nsqlite, a run with 10,000 entries of 1 KB');
  const file = join(folder, 'long.db');
  await writeLong(file);
  const times: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const engine = sqliteEngine(file);
    const start = performance.now();
    const claimed = await engine.claim('long', 'bench');
    times.push(performance.now() - start);
    if ((claimed?.history.length ?? 0) < 10_001) throw new Error(`${claimed?.history.length} entries`);
    await engine.close();
  }
  const figures = `median ${median(times).toFixed(0)} ms, best ${Math.min(...times).toFixed(0)} ms`;
  line('claim with the chain verified', `${figures} (less than 150)`);
}

async function writeLong(file: string): Promise<void> {
  const writer = sqliteEngine(file);
  await writer.start({ runId: 'long', name: 'long', version: '1' });
  const session = await writer.claim('long', 'bench');
  for (let ordinal = 0; ordinal < 10_000; ordinal += 1) {
    const data = { ok: true, attempts: 1, value: { text: 'y'.repeat(960), ordinal } } as const;
    session?.append({ type: 'step_ended', scope: '', ordinal, key: 'work', at: ordinal, data });
    if (ordinal % 500 === 499) await session?.flush();
  }
  await writer.close();
}
