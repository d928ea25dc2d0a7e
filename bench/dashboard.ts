/** How long the dashboard takes over a store of 100,000 runs: npx tsx bench/dashboard.ts [RUNS] */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import type { JournalEntry } from 'fullstop/journal';

const runs = Number(process.argv[2] ?? 100_000);
const rounds = 5;
const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
const store = join(folder, 'runs.db');

const endings = [
  { share: 80, category: 'success', outcome: 'succeeded', termination: { kind: 'natural_end' }, open: false },
  {
    share: 12,
    category: 'capacity',
    outcome: 'failed',
    termination: { kind: 'max_iterations', limit: 25, used: 25, unit: 'iteration' },
    open: true,
  },
  {
    share: 5,
    category: 'retryable',
    outcome: 'failed',
    termination: { kind: 'provider_failed', status: 503, attempts: 3 },
    open: true,
  },
  {
    share: 3,
    category: 'fatal',
    outcome: 'failed',
    termination: {
      kind: 'failed',
      error: { name: 'Error', message: 'order 4711 is gone' },
      origin: 'tool',
      errorClass: 'internal',
    },
    open: true,
  },
] as const;

/** A run that ended; its ending is drawn by its number, so that every bench has the same store. */
function made(index: number): readonly JournalEntry[] {
  const runId = `r_${String(index).padStart(7, '0')}`;
  const at = 1_790_000_000_000 + index * 1000;
  let rest = (index * 7919) % 100;
  const ending =
    endings.find(({ share }) => {
      rest -= share;
      return rest < 0;
    }) ?? endings[0];
  const { category, outcome, termination, open } = ending;
  const frame = { runId, segment: 1, scope: '', ordinal: -1 } as const;
  const envelope = {
    schemaVersion: 1,
    runId,
    segment: 1,
    name: `workflow-${index % 20}`,
    termination,
    also: [],
    outcome,
    category,
    family: 'completion',
    open,
    tag: termination.kind,
    summary: `It ended as ${termination.kind}.`,
    nextAction: 'Look at it.',
    resumable: { how: open ? 'resume' : 'no' },
    usage: { inputTokens: 900, outputTokens: 100, totalTokens: 1000 },
    costUsd: 0.01,
    durationMs: 1200,
    endedAt: at + 1200,
  };
  return [
    { ...frame, seq: 1, at, type: 'run_started', data: { name: envelope.name, version: '1', input: { n: index } } },
    { ...frame, seq: 2, at: at + 1200, type: 'segment_ended', data: { envelope } },
  ] as unknown as readonly JournalEntry[];
}

const engine = sqliteEngine(store);
const before = Date.now();
for (let index = 0; index < runs; index += 500)
  await Promise.all(
    Array.from({ length: Math.min(500, runs - index) }, (_, more) => engine.importRun(made(index + more))),
  );
await engine.close();
console.log(`made ${runs} runs in ${((Date.now() - before) / 1000).toFixed(1)} s`);

const program = resolve(import.meta.dirname, '../packages/cli/dist/main.js');
const child = spawn(process.execPath, [program, 'dashboard', '--store', store], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const url = await new Promise<string>((done) =>
  child.stdout.once('data', (chunk: Buffer) => done(chunk.toString().trim())),
);
const { origin, searchParams } = new URL(url);
const headers = { authorization: `Bearer ${searchParams.get('token') ?? ''}` };
const paths = [
  '/api/runs',
  '/api/runs?limit=200',
  '/api/runs?category=fatal',
  '/api/runs?name=workflow-7&category=capacity',
  '/api/runs?q=provider_failed',
  '/api/overview',
  '/api/requests',
];
for (const path of paths) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const response = await fetch(`${origin}${path}`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    times.push(performance.now() - start);
  }
  const sorted = [...times].sort((left, right) => left - right);
  const [first = 0] = times;
  console.log(
    `${path.padEnd(48)} first ${first.toFixed(0)} ms, median ${(sorted[Math.floor(rounds / 2)] ?? 0).toFixed(0)} ms`,
  );
}
child.kill();
rmSync(folder, { recursive: true, force: true });
