import { setTimeout as sleep } from 'node:timers/promises';
import { defineRun, terminations } from 'fullstop';
import pg from 'pg';
import { median } from '../interleave.js';
import { line, mustBe } from './line.js';
import { openStore } from './open-store.js';

// A separate program: see `benchParkedAlone`.

const count = 10_000;
const [url = '', store = ''] = process.argv.slice(2);
const engine = openStore(store, url);

const waiting = defineRun({
  name: `waiting-${store}`,
  run: async (context) => {
    await context.wait({ id: 'go', type: 'approval', tool: 'go' });
    return terminations.naturalEnd();
  },
});

async function startAll(prefix: string, total: number): Promise<void> {
  for (let from = 0; from < total; from += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, total - from) }, (_, index) =>
        engine.start({ runId: `${store}-${prefix}-${from + index}`, name: waiting.name, version: waiting.version }),
      ),
    );
}

async function allParked(): Promise<void> {
  for (const state of ['ready', 'running'] as const)
    while ((await engine.list({ state, name: waiting.name, limit: 1 })).runs.length > 0) await sleep(50);
}

/** Counts the dispatches that DBOS has queued, delayed or running. */
async function dispatchesUnderWay(): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM dbos.workflow_status WHERE status IN ('PENDING', 'ENQUEUED', 'DELAYED')",
  );
  await client.end();
  return rows[0]?.count ?? Number.NaN;
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

const worker = engine.worker([waiting], { concurrency: 50 });
await startAll('warm', 500);
await allParked();
const before = await residentMegabytes();
await startAll('parked', count);
await allParked();
await allParked();
line(
  `growth of a worker by ${count} runs that it has parked${store === 'dbos' ? ' (DBOS)' : ''}`,
  `${((await residentMegabytes()) - before).toFixed(1)} MB (less than 20)`,
);
if (store === 'dbos') mustBe(await dispatchesUnderWay(), 0, 'the dispatches that DBOS has under way');
mustBe((await engine.tally({ name: waiting.name })).runs, count + 500, 'the runs that were started');
const times: number[] = [];
for (let index = 0; index < 20; index += 1) {
  const runId = `${store}-parked-${index * 37}`;
  const start = performance.now();
  await engine.answer(runId, 'go', { decision: 'approve' });
  mustBe((await engine.waitForEnding(runId, 2)).termination.kind, 'natural_end', 'the ending');
  times.push(performance.now() - start);
}
line('answer to ending among them', `${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`);
await worker.stop();
await engine.close();
