import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineRun, terminations } from 'fullstop';
import { type SqliteEngine, sqliteEngine } from 'fullstop/engines/sqlite';
import { median } from './interleave.js';

// A separate program: see `benchParkedAlone`.

const waiting = defineRun({
  name: 'waiting',
  run: async (context) => {
    await context.wait({ id: 'go', type: 'approval', tool: 'go' });
    return terminations.naturalEnd();
  },
});

async function startAll(engine: SqliteEngine, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) =>
        engine.start({ runId: `parked-${from + index}`, name: waiting.name, version: waiting.version }),
      ),
    );
  }
}

/** 10,000 runs that wait for someone: what they cost and how fast one wakes. */
async function benchParked(folder: string): Promise<void> {
  console.log('\nsqlite, 10,000 parked runs (in a process of their own)');
  const engine = sqliteEngine(join(folder, 'parked.db'));
  await startAll(engine, 1000);
  const worker = engine.worker([waiting], { concurrency: 100 });
  await allParked(engine);
  const before = await residentMegabytes();
  await startAll(engine, 10_000);
  await allParked(engine);
  line('growth of the resident set, at rest', `${((await residentMegabytes()) - before).toFixed(1)} MB (less than 20)`);
  const times: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const start = performance.now();
    await engine.answer(`parked-${index * 37}`, 'go', { decision: 'approve' });
    await engine.waitForEnding(`parked-${index * 37}`, 2);
    times.push(performance.now() - start);
  }
  line(
    'answer to ending, in process',
    `median ${median(times).toFixed(1)} ms, worst ${Math.max(...times).toFixed(1)} ms (less than 50)`,
  );
  await worker.stop();
  await engine.close();
}

async function allParked(engine: SqliteEngine): Promise<void> {
  for (;;) {
    const { runs: ready } = await engine.list({ state: 'ready', limit: 1 });
    const { runs: running } = await engine.list({ state: 'running', limit: 1 });
    if (ready.length + running.length === 0) return;
    await sleep(20);
  }
}

/** At rest: pages without anything in them go back to the system in the background, so it is asked until that is over. */
async function residentMegabytes(): Promise<number> {
  let size = Number.POSITIVE_INFINITY;
  for (;;) {
    (globalThis as { gc?: () => void }).gc?.();
    await sleep(100);
    const now = process.memoryUsage.rss() / 1_048_576;
    if (now > size - 1) return Math.min(now, size);
    size = now;
  }
}

function line(name: string, value: string): void {
  console.log(`  ${name.padEnd(52)} ${value}`);
}

const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
try {
  await benchParked(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
