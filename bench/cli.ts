import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loopDetection, maxIterations, tokenBudget } from 'fullstop';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { foldLimits, type LoopObservation } from 'fullstop/machine';
import Database from 'libsql';
import { median } from './interleave.js';

const binary = resolve(import.meta.dirname, '../packages/cli/dist/main.js');
const rounds = 11;
const storedRuns = 100_000;

/** The cost of the command line: its startup, a list of many runs, and folding limits over recorded observations. */
export async function benchCli(): Promise<void> {
  console.log(`\ncommand line (median of ${rounds}, interleaved)`);
  startUp();
  await listMany();
  foldMany();
}

function startUp(): void {
  const [bare, version]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(timed(() => node(['-e', '0'])));
    version.push(timed(() => node([binary, '--version'])));
  }
  const [base, ours] = [median(bare), median(version)];
  console.log(
    `  fullstop --version ${ours.toFixed(0)} ms, node -e 0 ${base.toFixed(0)} ms: ${(ours / base).toFixed(2)}x (at most 1.6x)`,
  );
}

async function listMany(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
  const file = join(folder, 'runs.db');
  try {
    await fill(file);
    const questions: readonly { readonly name: string; readonly args: readonly string[]; readonly most: number }[] = [
      { name: 'runs', args: ['runs'], most: 300 },
      { name: 'runs --kind failed', args: ['runs', '--kind', 'failed'], most: 300 },
      { name: 'runs --search (one hit)', args: ['runs', '--search', `number ${storedRuns / 2}`], most: 300 },
      { name: 'stats', args: ['stats'], most: 1000 },
    ];
    for (const { name, args, most } of questions) {
      const times = Array.from({ length: rounds }, () => timed(() => node([binary, ...args, '--store', file])));
      console.log(
        `  ${name.padEnd(24)} over ${storedRuns} runs: ${median(times).toFixed(0)} ms, start of the program included (at most ${most})`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Written straight into the tables: only the reading is measured. */
async function fill(file: string): Promise<void> {
  await sqliteEngine(file).close();
  const database = new Database(file);
  const run = database.prepare(
    `INSERT INTO runs (run_id, name, version, state, segment, started_at, ended_at, closed, kind, category, outcome, summary, ending_seq,
       input_tokens, output_tokens, total_tokens, cost_usd, duration_ms)
     VALUES (?, ?, '1', 'ended', 1, ?, ?, 0, ?, ?, 'failed', ?, 2, 10, 5, 15, 0.01, 500)`,
  );
  const entry = database.prepare(
    "INSERT INTO journal (run, segment, seq, scope, ordinal, at, type, key, data, hash) VALUES (?, 1, ?, '', -1, ?, ?, NULL, ?, 'h')",
  );
  const kinds = [
    ['max_iterations', 'capacity'],
    ['failed', 'fatal'],
    ['provider_failed', 'retryable'],
  ] as const;
  database.exec('BEGIN');
  for (let index = 0; index < storedRuns; index += 1) {
    const [kind, category] = kinds[index % kinds.length] ?? kinds[0];
    const at = 1_700_000_000_000 + index * 1000;
    const { lastInsertRowid } = run.run([
      `r_${index}`,
      `flow${index % 7}`,
      at,
      at + 500,
      kind,
      category,
      `Stopped number ${index}`,
    ]);
    const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
    const envelope = { termination: { kind }, usage, costUsd: 0.01, durationMs: 500, note: 'x'.repeat(500) };
    entry.run([Number(lastInsertRowid), 1, at, 'run_started', '{"name":"flow","version":"1"}']);
    entry.run([Number(lastInsertRowid), 2, at + 500, 'segment_ended', JSON.stringify({ envelope })]);
  }
  database.exec('COMMIT');
  database.close();
}

function foldMany(): void {
  const observations = Array.from({ length: 100_000 }, (_, index): LoopObservation => observation(index));
  const conditions = [maxIterations(1_000_000), tokenBudget({ total: 1_000_000_000 }), loopDetection({ repeats: 5 })];
  const times = Array.from({ length: rounds }, () => timed(() => foldLimits(observations, conditions)));
  const perSecond = observations.length / (median(times) / 1000);
  console.log(
    `  what-if: ${Math.round(perSecond).toLocaleString('en-US')} observations a second with three conditions (at least 100,000)`,
  );
}

function observation(index: number): LoopObservation {
  const tokens = index * 900;
  return {
    point: index % 2 === 0 ? 'after_tools' : 'after_iteration',
    iterations: Math.floor(index / 2),
    rounds: Math.floor(index / 2),
    toolCalls: Math.floor(index / 2),
    usage: { inputTokens: tokens, outputTokens: index, totalTokens: tokens + index },
    costUsd: index / 1000,
    activeMs: index * 10,
    ...(index % 2 === 0 && {
      calls: [{ tool: 'search', inputKey: `k${index % 7}`, resultKey: `r${index % 5}`, ok: true as const }],
    }),
  };
}

function node(args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
