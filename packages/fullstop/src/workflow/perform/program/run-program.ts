import { ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Clock } from '../../../engines/port/clock.js';
import type { AbortSignalLike } from '../../../engines/port/engine.js';

export interface ProgramCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly stdin: string | undefined;
  readonly timeoutMs: number | undefined;
  /** Output beyond this many bytes is left out. */
  readonly maxOutputBytes: number;
  readonly signal: AbortSignalLike;
  readonly clock: Clock;
}

/** How a program ended. */
export type ProgramResult =
  | {
      readonly type: 'exited';
      readonly stdout: string;
      readonly stderr: string;
      /** Negative for the signal that ended it. */
      readonly exitCode: number;
      /** Which output went beyond the limit, so that its rest is lost. */
      readonly cut: { readonly stdout: boolean; readonly stderr: boolean };
    }
  | { readonly type: 'timed_out' }
  | { readonly type: 'not_started'; readonly error: NodeJS.ErrnoException };

/** How long a program may take to end after it was asked to. */
const graceMs = 2_000;

/** Runs a program without a shell. When it takes too long or the run is cancelled, its whole process group is ended. */
export function runProgram(call: ProgramCall): Promise<ProgramResult> {
  const { stdin } = call;
  return new Promise((resolve, reject) => {
    const child = startProgram(call);
    if (!(child instanceof ChildProcess)) {
      resolve({ type: 'not_started', error: child });
      return;
    }
    const stdout = collect(child.stdout, call.maxOutputBytes);
    const stderr = collect(child.stderr, call.maxOutputBytes);
    let timedOut = false;
    const guard = guardProgram(child, call, () => {
      timedOut = true;
    });
    child.once('error', (error) => {
      guard.stop();
      resolve({ type: 'not_started', error });
    });
    child.once('close', (code, signal) => {
      guard.stop();
      if (call.signal.aborted) reject(call.signal.reason);
      else if (timedOut) resolve({ type: 'timed_out' });
      else {
        const exitCode = code ?? -(constants.signals[signal ?? 'SIGKILL'] ?? 9);
        const cut = { stdout: stdout.cut(), stderr: stderr.cut() };
        resolve({ type: 'exited', stdout: stdout.text(), stderr: stderr.text(), exitCode, cut });
      }
    });
    if (stdin !== undefined) {
      // A program that does not read its input is no failure.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(stdin);
    }
  });
}

/** The program, or why the system will not take the call: an empty command, or a text with a NUL in it. */
function startProgram({
  command,
  args,
  env,
  workingDirectory,
  stdin,
}: ProgramCall): ChildProcess | NodeJS.ErrnoException {
  try {
    return spawn(command, [...args], {
      cwd: workingDirectory,
      env: { ...env },
      // A group of its own, so that what it started ends with it.
      detached: process.platform !== 'win32',
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
  } catch (error) {
    if (error instanceof TypeError) return error;
    throw error;
  }
}

interface Collected {
  text(): string;
  cut(): boolean;
}

function collect(stream: NodeJS.ReadableStream | null, maxBytes: number): Collected {
  const chunks: Buffer[] = [];
  let [size, cut] = [0, false];
  stream?.on('data', (chunk: Buffer) => {
    const room = maxBytes - size;
    if (chunk.length > room) cut = true;
    if (room <= 0) return;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += Math.min(chunk.length, room);
  });
  return { text: () => Buffer.concat(chunks).toString('utf8'), cut: () => cut };
}

/** Ends the program when its time is up or nobody wants it any more. */
function guardProgram(child: ChildProcess, call: ProgramCall, onTimeout: () => void): { stop(): void } {
  const { signal, clock, timeoutMs } = call;
  let stopKill: (() => void) | undefined;
  const end = (): void => {
    endGroup(child, 'SIGTERM');
    stopKill = clock.callAt(clock.now() + graceMs, () => endGroup(child, 'SIGKILL'));
  };
  const expire = (): void => {
    onTimeout();
    endGroup(child, 'SIGKILL');
  };
  const stopTimer = timeoutMs === undefined ? undefined : clock.callAt(clock.now() + timeoutMs, expire);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return {
    stop() {
      stopTimer?.();
      stopKill?.();
      signal.removeEventListener('abort', end);
    },
  };
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // It is gone already.
  }
}
