import { constants } from 'node:os';
import type { Clock } from '../../../engines/port/clock.js';
import type { AbortSignalLike } from '../../../engines/port/engine.js';
import type { ProcessGroup, ProcessGroups } from './process-groups.js';
import type { ProgramOutput } from './program-process.js';

export interface ProgramCall {
  readonly programs: ProcessGroups;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly stdin: string | undefined;
  readonly timeoutMs: number | undefined;
  /** Output beyond this many bytes is left out. */
  readonly maxOutputBytes: number;
  /** Called with the process once it runs; a failure of it ends the program. */
  readonly onStarted?: (pid: number) => Promise<void>;
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

/** Runs a program without a shell. When it takes too long or the run is cancelled, its whole process group is ended. */
export function runProgram(call: ProgramCall): Promise<ProgramResult> {
  const { stdin } = call;
  return new Promise((resolve, reject) => {
    const group = startProgram(call);
    if (!('child' in group)) {
      resolve({ type: 'not_started', error: group });
      return;
    }
    const { child } = group;
    const stdout = collect(child.stdout, call.maxOutputBytes);
    const stderr = collect(child.stderr, call.maxOutputBytes);
    const guard = guardProgram(group, call, {
      onTimeout: () => resolve({ type: 'timed_out' }),
      onAbort: () => reject(call.signal.reason),
    });
    child.once('error', (error) => {
      guard.stop();
      resolve({ type: 'not_started', error });
    });
    // The outcome is not handed over before this: entries of a step come before the one that ends it.
    const isNoted = noteStart(group, call).catch((error: unknown) => guard.end(() => reject(error)));
    child.once('close', (code, signal) => {
      if (guard.isEnding()) return;
      guard.stop();
      group.forget();
      const exitCode = code ?? -(constants.signals[(signal ?? 'SIGKILL') as NodeJS.Signals] ?? 9);
      const cut = { stdout: stdout.cut(), stderr: stderr.cut() };
      const exited = { type: 'exited', stdout: stdout.text(), stderr: stderr.text(), exitCode, cut } as const;
      void isNoted.then(() => resolve(exited));
    });
    if (stdin !== undefined) {
      // A program that does not read its input is no failure.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(stdin);
    }
  });
}

async function noteStart({ child: { pid } }: ProcessGroup, { onStarted }: ProgramCall): Promise<void> {
  if (pid !== undefined) await onStarted?.(pid);
}

/** The program, or why the system will not take the call. */
function startProgram({
  programs,
  command,
  args,
  env,
  workingDirectory,
  stdin,
}: ProgramCall): ProcessGroup | NodeJS.ErrnoException {
  try {
    return programs.start(command, args, {
      cwd: workingDirectory,
      env: { ...env },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
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

function collect(stream: ProgramOutput | null, maxBytes: number): Collected {
  const chunks: Uint8Array[] = [];
  let [size, cut] = [0, false];
  stream?.on('data', (chunk) => {
    const room = maxBytes - size;
    if (chunk.length > room) cut = true;
    if (room <= 0) return;
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += Math.min(chunk.length, room);
  });
  return { text: () => Buffer.concat(chunks).toString('utf8'), cut: () => cut };
}

interface Guard {
  /** Whether the program is being ended from here, so that its output is of no interest. */
  isEnding(): boolean;
  /** Ends it for another reason. */
  end(react: () => void): void;
  stop(): void;
}

interface Reactions {
  onTimeout(): void;
  onAbort(): void;
}

/** Ends the program when its time is up or nobody wants it any more. */
function guardProgram(group: ProcessGroup, call: ProgramCall, { onTimeout, onAbort }: Reactions): Guard {
  const { signal, clock, timeoutMs } = call;
  let isEnding = false;
  const end = (react: () => void): void => {
    if (isEnding) return;
    isEnding = true;
    stop();
    // Its output may stay open in a process that left the group: that is not waited for.
    void group.end().then(react);
  };
  const abort = (): void => end(onAbort);
  const expire = (): void => {
    group.kill();
    end(onTimeout);
  };
  const stopTimer = timeoutMs === undefined ? undefined : clock.callAt(clock.now() + timeoutMs, expire);
  const stop = (): void => {
    stopTimer?.();
    signal.removeEventListener('abort', abort);
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return { isEnding: () => isEnding, end, stop };
}
