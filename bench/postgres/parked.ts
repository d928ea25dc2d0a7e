import { setTimeout as sleep } from 'node:timers/promises';
import { defineRun, terminations } from 'fullstop';
import { type PostgresEngine, postgresEngine } from 'fullstop/engines/postgres';
import { median } from '../interleave.js';
import { line, mustBe } from './line.js';

// A separate program: see `benchParkedAlone`.

const count = 10_000;

const waiting = defineRun({
  name: 'waiting',
  run: async (context) => {
    await context.wait({ id: 'go', type: 'approval', tool: 'go' });
    return terminations.naturalEnd();
  },
});

async function startAll(engine: PostgresEngine, prefix: string, total: number): Promise<void> {
  for (let from = 0; from < total; from += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, total - from) }, (_, index) =>
        engine.start({ runId: `${prefix}-${from + index}`, name: waiting.name, version: waiting.version }),
      ),
    );
}

async function allParked(engine: PostgresEngine): Promise<void> {
  for (const state of ['ready', 'running'] as const)
    while ((await engine.list({ state, name: waiting.name, limit: 1 })).runs.length > 0) await sleep(50);
}

/** At rest: pages without anything in them go back to the system in the background, so it is asked until that is over. */
async function residentMegabytes(): Promise<number> {
  for (let size = Number.POSITIVE_INFINITY; ; ) {
    (globalThis as { gc?: () => void }).gc?.();
    await sleep(100);
    const now = process.memoryUsage.rss() / 1_048_576;
    if (now > size - 1) return Math.min(now, size);
    size = now;
  }
}

const engine = postgresEngine({ url: process.argv[2] ?? '' });
const worker = engine.worker([waiting], { concurrency: 50 });
await startAll(engine, 'warm', 500);
await allParked(engine);
const before = await residentMegabytes();
await startAll(engine, 'parked', count);
await allParked(engine);
await allParked(engine);
line(
  `growth of a worker by ${count} runs that it has parked`,
  `${((await residentMegabytes()) - before).toFixed(1)} MB (less than 20)`,
);
mustBe((await engine.tally({ name: waiting.name })).runs, count + 500, 'the runs that were started');
const times: number[] = [];
for (let index = 0; index < 20; index += 1) {
  const runId = `parked-${index * 37}`;
  const start = performance.now();
  await engine.answer(runId, 'go', { decision: 'approve' });
  mustBe((await engine.waitForEnding(runId, 2)).termination.kind, 'natural_end', 'the ending');
  times.push(performance.now() - start);
}
line('answer to ending among them', `${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`);
await worker.stop();
await engine.close();
