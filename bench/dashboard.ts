import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import type { JournalEntry } from 'fullstop/journal';
import { median } from './interleave.js';

/** Enough that a query without an index shows; `--long` has more. */
const runs = process.argv.includes('--long') ? 100_000 : 20_000;
const rounds = 5;

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

const program = resolve(import.meta.dirname, '../packages/cli/dist/main.js');
const paths = [
  '/api/runs',
  '/api/runs?limit=200',
  '/api/runs?category=fatal',
  '/api/runs?name=workflow-7&category=capacity',
  '/api/runs?q=provider_failed',
  '/api/overview',
  '/api/requests',
];

/** How long the dashboard takes for its pages over a large store. */
export async function benchDashboard(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
  const store = join(folder, 'runs.db');
  try {
    await fillStore(store);
    const child = spawn(process.execPath, [program, 'dashboard', '--store', store], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const printed = await new Promise<string>((done) =>
        child.stdout.once('data', (chunk: Buffer) => done(chunk.toString().trim())),
      );
      for (const path of paths) await timePath(new URL(printed), path);
    } finally {
      child.kill();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fillStore(store: string): Promise<void> {
  const engine = sqliteEngine(store);
  const before = performance.now();
  for (let index = 0; index < runs; index += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, runs - index) }, (_, more) => engine.importRun(made(index + more))),
    );
  await engine.close();
  const seconds = ((performance.now() - before) / 1000).toFixed(1);
  console.log(`\ndashboard: a store of ${runs.toLocaleString('en')} runs, imported in ${seconds} s`);
}

async function timePath({ origin, searchParams }: URL, path: string): Promise<void> {
  const headers = { authorization: `Bearer ${searchParams.get('token') ?? ''}` };
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const response = await fetch(`${origin}${path}`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    times.push(performance.now() - start);
  }
  const [first = 0] = times;
  console.log(`  ${path.padEnd(48)} first ${first.toFixed(0)} ms, median ${median(times).toFixed(0)} ms`);
}
