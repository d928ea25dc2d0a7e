import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { Clock } from '../port/clock.js';
import type { RunSession } from '../port/engine.js';
import type { StoredEnvelope } from '../port/envelope.js';
import type { EntryDraft } from '../port/journal-entry.js';
import type { RunRequest } from '../port/request.js';
import type { SqliteEngine, SqliteEngineOptions } from './options.js';
import { sqliteEngine } from './sqlite-engine.js';

/** A folder that is gone when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function temporaryFile(): string {
  return join(temporaryFolder(), 'runs.db');
}

/** An engine that is closed when the test is over. */
export function openEngine(file: string = temporaryFile(), options: SqliteEngineOptions = {}): SqliteEngine {
  const engine = sqliteEngine(file, { pollMs: 10, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

export interface RawDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...values: unknown[]): Record<string, unknown>[];
    run(...values: unknown[]): { changes: number };
  };
  close(): void;
}

/** The file itself, past the engine. */
export function rawDatabase(file: string): RawDatabase {
  const Libsql = createRequire(import.meta.url)('libsql') as new (path: string) => RawDatabase;
  const database = new Libsql(file);
  let open = true;
  const close = database.close.bind(database);
  database.close = () => {
    if (open) close();
    open = false;
  };
  onTestFinished(() => database.close());
  return database;
}

/** Changes a store as nothing of ours could, and leaves its triggers as they were. */
export function alterStore(file: string, sql: string): void {
  const raw = rawDatabase(file);
  const triggers = raw.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all();
  raw.exec('PRAGMA ignore_check_constraints = ON');
  for (const { name } of triggers) raw.exec(`DROP TRIGGER ${String(name)}`);
  raw.exec(sql);
  for (const trigger of triggers) raw.exec(String(trigger['sql']));
  raw.close();
}

/** A clock that only a test moves. */
export function handClock(start = 1_800_000_000_000): Clock & {
  advance(milliseconds: number): void;
} {
  let now = start;
  const timers = new Set<{ readonly instant: number; readonly callback: () => void }>();
  return {
    now: () => now,
    monotonic: () => now,
    callAt: (instant, callback) => {
      const timer = { instant, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (milliseconds) => {
      now += milliseconds;
      for (const timer of [...timers].filter(({ instant }) => instant <= now)) {
        timers.delete(timer);
        timer.callback();
      }
    },
  };
}

export function stepEnded(
  ordinal: number,
  value = `value ${ordinal}`,
  at = 1_800_000_000_000,
): EntryDraft<'step_ended'> {
  return { type: 'step_ended', scope: '', ordinal, key: `step-${ordinal}`, at, data: { ok: true, value, attempts: 1 } };
}

export function requestOpened(request: RunRequest, ordinal = 0, at = 1_800_000_000_000): EntryDraft<'request_opened'> {
  const data = { request: { ...request, path: '', openedAt: at } };
  return { type: 'request_opened', scope: '', ordinal, key: `request:${request.id}`, at, data };
}

export function segmentEnded(
  session: RunSession,
  termination: AnyTermination = terminations.naturalEnd(),
  at = 1_800_000_000_000,
): EntryDraft<'segment_ended'> {
  const paused = termination.kind === 'interaction_pending' || termination.kind === 'gate_pending';
  const closed = termination.kind === 'natural_end';
  const category = paused ? 'paused' : 'fatal';
  const envelope = {
    schemaVersion: 1,
    runId: session.identity.runId,
    segment: session.segment,
    name: session.identity.name,
    termination,
    also: [],
    outcome: closed ? 'succeeded' : 'failed',
    category: closed ? 'success' : category,
    family: 'completion',
    open: !closed,
    tag: termination.kind,
    summary: `It ended as ${termination.kind}.`,
    nextAction: 'None.',
    resumable: { how: 'no' },
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    costUsd: 0,
    durationMs: 0,
    endedAt: at,
  } as unknown as StoredEnvelope;
  return { type: 'segment_ended', scope: '', ordinal: -1, at, data: { envelope } };
}

export function pausedOn(id: string, deadline?: number): AnyTermination {
  const request = {
    id,
    path: '',
    type: 'approval',
    tool: 'deploy',
    ...(deadline !== undefined && { deadline: new Date(deadline).toISOString() }),
  } as const;
  return terminations.interactionPending({ requests: [request] });
}

/** Starts a run and takes it. */
export async function startAndClaim(engine: SqliteEngine, runId: string): Promise<RunSession> {
  await engine.start({ runId, name: 'test', version: '1', input: { runId } });
  return claimed(engine, runId);
}

export async function claimed(engine: SqliteEngine, runId: string): Promise<RunSession> {
  const session = await engine.claim(runId, 'worker');
  if (session === undefined) throw new Error(`${runId} could not be claimed`);
  return session;
}

/** Claims a run whose owner shows no sign of life: this engine has to see that for the time of the lease. */
export async function takeOver(
  engine: SqliteEngine,
  runId: string,
  clock: { advance(milliseconds: number): void },
): Promise<RunSession> {
  for (let looks = 0; looks < 10; looks += 1) {
    const session = await engine.claim(runId, 'worker');
    if (session !== undefined) return session;
    clock.advance(2000);
  }
  throw new Error(`${runId} could not be claimed`);
}

/** Waits until something holds; gives up only when it never will, however busy the machine is. */
export async function eventually(holds: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
  const start = performance.now();
  while (!(await holds())) {
    if (performance.now() - start > withinMs) throw new Error(`It did not come true in ${withinMs / 1000} s: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
