import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunSummary } from '../../packages/fullstop/src/engines/port/engine.js';
import { type SqliteEngine, sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { seededRandom } from '../../packages/fullstop/src/testing/seeded-random.js';
import { buildWorker } from '../chaos/build-worker.js';
import type { Attack, AttackOptions, AttackResult } from './attack.js';

/** An effect that begins; the processes write these in the order in which it happened. */
export interface FrozenLine {
  readonly runId: string;
  readonly execution: string;
  readonly key: string;
  readonly isOnce: boolean;
  /** How long before it its process was told that it still has the run; null where it did not ask. */
  readonly sinceCheckMs: number | null;
}

interface FrozenOptions {
  readonly seed: number;
  /** How often a process is frozen for longer than its lease. */
  readonly freezes: number;
  /** The wall clocks of the processes jump by an hour, back and forth. */
  readonly jumps: boolean;
  onFrozen(done: number): void;
}

interface FrozenResult {
  readonly freezes: number;
  readonly runs: number;
  readonly effects: number;
  /** How often a run was continued by another process. */
  readonly takeovers: number;
  /** How often a person had to say what became of a once-step. */
  readonly questions: number;
  /** How often a process was frozen while it had the lock of the file, and was woken again. */
  readonly locked: number;
}

/** Freezes the owners of runs, half of the times while their wall clocks jump by an hour: they begin nothing that is not theirs any more. */
export const frozenOwners: Attack = {
  name: 'frozen-owners',
  of: 'freezes',
  short: 8,
  long: 100,
  perform,
};

async function perform({ seed, count, onProgress }: AttackOptions): Promise<AttackResult> {
  const counts: Record<string, number> = { freezes: 0 };
  const failures: string[] = [];
  const half = Math.floor(count / 2);
  for (const [jumps, freezes] of [
    [false, count - half],
    [true, half],
  ] as const) {
    const before = counts['freezes'] ?? 0;
    try {
      const options = { seed, freezes, jumps, onFrozen: (done: number) => onProgress?.(before + done) };
      const result = await freezeOwners(options);
      for (const [name, value] of Object.entries(result)) counts[name] = (counts[name] ?? 0) + value;
      if (freezes > 0 && result.takeovers === 0) failures.push(`seed ${seed}: no run was taken over.`);
    } catch (error) {
      failures.push(`seed ${seed}, ${jumps ? 'with' : 'without'} jumps of the clocks: ${String(error)}`);
    }
  }
  return { counts, failures };
}

const leaseMs = 600;
/** A process relies on nine tenths of its lease, and others wait for all of it: whoever begins an effect too late has stood still since its check for at least the rest. */
const leastStandstillMs = leaseMs / 10;
const workerCount = 3;
const runsAtOnce = 6;

/** Freezes the owners of runs for longer than their lease, wakes them, and checks that they begin nothing that is not theirs any more. */
async function freezeOwners(options: FrozenOptions): Promise<FrozenResult> {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-frozen-'));
  const logFile = join(folder, 'effects.log');
  writeFileSync(logFile, '');
  // Patient, because a busy machine is slow; only the probe gives up soon, to find out whether the victim has the lock.
  const engine = sqliteEngine(join(folder, 'runs.db'), { pollMs: 20, busyTimeoutMs: 60_000 });
  const probing = sqliteEngine(join(folder, 'runs.db'), { busyTimeoutMs: 1000 });
  const script = await buildWorker('tests/attack/frozen-worker.ts');
  const workers = Array.from({ length: workerCount }, (_, index) => {
    const id = `worker-${index}`;
    const args = [
      script,
      join(folder, 'runs.db'),
      logFile,
      id,
      `${leaseMs}`,
      options.jumps ? 'jumps' : '',
      `${options.seed}`,
    ];
    return { id, process: spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }) };
  });
  try {
    const siege = new Siege({ engine, probing }, workers, seededRandom(options.seed));
    for (let freeze = 0; freeze < options.freezes; options.onFrozen(freeze))
      if (await siege.freezeOne(freeze)) freeze += 1;
    await siege.settle();
    const lines = readLines(logFile);
    const takeovers = checkOrder(lines);
    checkAsked(lines);
    checkOnce(lines);
    await checkJournals(engine, siege.started);
    const { started: runs, questions, locked } = siege;
    return { freezes: options.freezes, runs, effects: lines.length, takeovers, questions, locked };
  } finally {
    for (const { process: worker } of workers) worker.kill('SIGKILL');
    await probing.close();
    await engine.close();
    rmSync(folder, { recursive: true });
  }
}

interface Worker {
  readonly id: string;
  readonly process: ChildProcess;
}

class Siege {
  readonly #engine: SqliteEngine;
  readonly #probing: SqliteEngine;
  readonly #workers: readonly Worker[];
  readonly #random: () => number;
  started = 0;
  /** How often a process was frozen while it had the lock of the file. */
  locked = 0;
  questions = 0;

  constructor(
    { engine, probing }: Record<'engine' | 'probing', SqliteEngine>,
    workers: readonly Worker[],
    random: () => number,
  ) {
    this.#engine = engine;
    this.#probing = probing;
    this.#workers = workers;
    this.#random = random;
  }

  /** Freezes a process that has runs until others have them all, and wakes it. False when it could not be frozen without its lock. */
  async freezeOne(count: number): Promise<boolean> {
    await this.#attend();
    const victim = await this.#anyOwner();
    await sleep(this.#random() * 60);
    victim.process.kill('SIGSTOP');
    const runId = `probe-${count}-${this.locked}`;
    try {
      if (!(await this.#canWrite(runId, victim))) return false;
      while ((await this.#ownedBy(victim.id)) > 0) {
        await this.#attend();
        await sleep(20);
      }
    } finally {
      victim.process.kill('SIGCONT');
    }
    await this.#engine.waitForEnding(runId, 1);
    return true;
  }

  /** A process that is frozen within a transaction keeps the lock of the file, and nobody can write until it is woken. */
  async #canWrite(runId: string, { id }: Worker): Promise<boolean> {
    try {
      await this.#probing.start({ runId, name: `probe-${id}`, version: '1' });
      return true;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'STORE_LOCKED') throw error;
      this.locked += 1;
      return false;
    }
  }

  async #anyOwner(): Promise<Worker> {
    for (;;) {
      const { runs } = await this.#engine.list({ name: 'mails', state: 'running', limit: 1000 });
      const owners = this.#workers.filter(({ id }) => runs.some(({ worker }) => worker === id));
      const owner = owners[Math.floor(this.#random() * owners.length)];
      if (owner !== undefined) return owner;
      await this.#attend();
      await sleep(10);
    }
  }

  async #ownedBy(id: string): Promise<number> {
    const { runs } = await this.#engine.list({ state: 'running', limit: 1000 });
    return runs.filter(({ worker }) => worker === id).length;
  }

  /** Keeps enough runs going, and answers what they ask; the number of runs that have not ended. */
  async #attend(more = true): Promise<number> {
    const { runs } = await this.#engine.list({ name: 'mails', limit: 1000 });
    let unfinished = 0;
    for (const run of runs) {
      if (run.category === 'paused') await this.#answer(run.runId);
      else if (run.kind === 'failed') await this.#resume(run);
      if (run.outcome !== 'succeeded') unfinished += 1;
    }
    for (; more && unfinished < runsAtOnce; unfinished += 1) {
      this.started += 1;
      const input = { size: 1 + Math.floor(this.#random() * 4) };
      await this.#engine.start({ runId: `mails-${this.started}`, name: 'mails', version: '1', input });
    }
    return unfinished;
  }

  async #answer(runId: string): Promise<void> {
    for (const { id } of await this.#engine.openRequests(runId)) {
      await this.#engine.answer(runId, id, { decision: 'approve', value: 1 });
      this.questions += 1;
    }
  }

  /** A run that lost its owner too often without an entry may fail; nothing else may. */
  async #resume({ runId, segment }: RunSummary): Promise<void> {
    const { termination } = (await this.#engine.ending(runId)) ?? {};
    if (termination?.kind !== 'failed') return;
    if (!['CRASH_LOOP', 'OWNER_UNRESPONSIVE'].includes(termination.error.code ?? ''))
      throw new Error(`The run ${runId} failed: ${termination.error.message}`);
    await this.#engine.reopen({ runId, after: segment, because: 'resume' });
  }

  async settle(): Promise<void> {
    while ((await this.#attend(false)) > 0) await sleep(20);
  }
}

function readLines(file: string): readonly FrozenLine[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FrozenLine);
}

/**
 * Once another execution of a run has begun an effect, the one before it begins nothing any more, unless it was frozen between its check and the
 * first instruction of the effect, which no lease can prevent. Bodies say nothing about that: one that has lost its run may run up to its next
 * effect. Returns how often a run went to another process.
 */
export function checkOrder(lines: readonly FrozenLine[]): number {
  const executions = new Map<string, string[]>();
  let takeovers = 0;
  for (const line of lines) {
    const { runId, execution } = line;
    const earlier = executions.get(runId) ?? [];
    executions.set(runId, earlier);
    const latest = earlier.at(-1);
    if (latest === execution) continue;
    if (earlier.includes(execution)) {
      checkStandstill(line, latest);
      continue;
    }
    if (latest !== undefined && workerOf(latest) !== workerOf(execution)) takeovers += 1;
    earlier.push(execution);
  }
  return takeovers;
}

function checkStandstill({ runId, execution, key, sinceCheckMs }: FrozenLine, latest: string | undefined): void {
  if (sinceCheckMs !== null && sinceCheckMs >= leastStandstillMs) return;
  const asked = sinceCheckMs === null ? 'without asking' : `${sinceCheckMs} ms after its check`;
  throw new Error(`${execution} began ${key} of ${runId} after ${latest} had taken it over, ${asked}.`);
}

function workerOf(execution: string): string {
  return execution.slice(0, execution.lastIndexOf('-'));
}

/** Nothing begins before its process has made sure that it has the run. */
function checkAsked(lines: readonly FrozenLine[]): void {
  for (const { runId, execution, key, sinceCheckMs } of lines)
    if (sinceCheckMs === null) throw new Error(`${execution} began ${key} of ${runId} without asking.`);
}

function checkOnce(lines: readonly FrozenLine[]): void {
  const seen = new Set<string>();
  for (const line of lines) {
    if (!line.isOnce) continue;
    const place = `${line.runId} ${line.key}`;
    if (seen.has(place)) throw new Error(`The once-step ${place} was performed twice.`);
    seen.add(place);
  }
}

async function checkJournals(engine: SqliteEngine, runs: number): Promise<void> {
  for (let run = 1; run <= runs; run += 1) {
    const verification = await engine.verify(`mails-${run}`);
    if (verification.status !== 'consistent')
      throw new Error(`The journal of mails-${run} is ${JSON.stringify(verification)}.`);
  }
}
