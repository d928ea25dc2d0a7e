import { spawn } from 'node:child_process';
import type { ProgramOptions, ProgramProcess } from './program-process.js';

/** A program together with everything that it started and that did not leave its process group. */
export interface ProcessGroup {
  readonly child: ProgramProcess;
  /** Asks all of it to end, and kills what is left after a grace. Settles when that is done. */
  end(): Promise<void>;
  kill(): void;
  /** Leaves what is left of it alone: the program has ended by itself. */
  forget(): void;
}

/** The programs that a run has started. */
export interface ProcessGroups {
  /** Throws where the system will not take the call: an empty command, or a text with a NUL in it. */
  start(command: string, args: readonly string[], options: ProgramOptions): ProcessGroup;
  /** Ends whatever still runs. */
  endAll(): Promise<void>;
}

/** How long programs may take to end after they were asked to. */
const graceMs = 2_000;
/** How long the system may take to remove them after they were killed. */
const killedMs = 500;
const lookMs = 20;

/** Every group of this process, so that none outlives it however it exits. */
const live = new Set<ProcessGroup>();
let isWatching = false;

function watchExit(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const group of live) group.kill();
  });
}

/** Keeps the programs of one run. Times here are those of the machine: programs know no simulated clock. */
export function processGroups(): ProcessGroups {
  const own = new Set<ProcessGroup>();
  return {
    start(command, args, options) {
      watchExit();
      // A group of its own: what it started ends with it, and a Ctrl-C at the terminal reaches it only through the run.
      const { cwd, env, stdio } = options;
      const detached = !isWindows;
      const child = spawn(command, [...args], { cwd, env, stdio: [...stdio], detached, windowsHide: true });
      const group = makeGroup(child, () => {
        live.delete(group);
        own.delete(group);
      });
      live.add(group);
      own.add(group);
      child.once('error', () => {
        if (child.pid === undefined) group.forget();
      });
      return group;
    },
    async endAll() {
      await Promise.all([...own].map((group) => group.end()));
    },
  };
}

const isWindows = process.platform === 'win32';

function makeGroup(child: ProgramProcess, forget: () => void): ProcessGroup {
  let ending: Promise<void> | undefined;
  const endInTime = async (): Promise<void> => {
    await endInGrace(child);
    forget();
  };
  return {
    child,
    end() {
      ending ??= endInTime();
      return ending;
    },
    kill: () => signalGroup(child, 'SIGKILL'),
    forget,
  };
}

/** Ends the process group of a program that another process has started. */
export function endGroup(pid: number): Promise<void> {
  return endInGrace({ pid, exitCode: null, signalCode: null });
}

/** The part of a program that says whether it is there. */
type Endable = Pick<ProgramProcess, 'pid' | 'exitCode' | 'signalCode'>;

async function endInGrace(child: Endable): Promise<void> {
  signalGroup(child, 'SIGTERM');
  if (await isGoneWithin(child, graceMs)) return;
  signalGroup(child, 'SIGKILL');
  await isGoneWithin(child, killedMs);
}

async function isGoneWithin(child: Endable, milliseconds: number): Promise<boolean> {
  const until = Date.now() + milliseconds;
  while (isAlive(child)) {
    if (Date.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return true;
}

function isAlive(child: Endable): boolean {
  if (isWindows) return child.exitCode === null && child.signalCode === null;
  try {
    return child.pid !== undefined && process.kill(-child.pid, 0);
  } catch {
    return false;
  }
}

function signalGroup({ pid }: Endable, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(isWindows ? pid : -pid, signal);
  } catch {
    // It is gone already.
  }
}
