import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';

/** How long a worker may go without a sign of life before another is started; two workers harm nobody. */
const silenceMs = 10_000;
const beatMs = 1000;

/** The file in which a worker says that it is there, beside the store. */
function markFile(store: string): string {
  return `${store}.worker`;
}

/** True while a worker that starts by itself is there for a store. */
export function hasWorker(store: string): boolean {
  try {
    const file = markFile(store);
    const pid = Number(readFileSync(file, 'utf8'));
    return Date.now() - statSync(file).mtimeMs < silenceMs && isAlive(pid) && !isZombie(pid);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (error) {
    // Someone else's process lives too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** True for a process that ended and that nobody has noticed yet: in containers that can take long. */
function isZombie(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    // Only Linux has this.
    return false;
  }
}

/** The mark of this process. */
export interface WorkerMark {
  /** False where another worker is there already. */
  set(): boolean;
  clear(): void;
}

/** Says that this process is the worker of a store, with signs of life until that is taken back. */
export function workerMark(store: string): WorkerMark {
  const file = markFile(store);
  let timer: NodeJS.Timeout | undefined;
  const beat = (): void => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // Somebody removed it: then another worker may come, which harms nobody.
    }
  };
  return {
    set: () => {
      if (hasWorker(store)) return false;
      rmSync(file, { force: true });
      try {
        writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
      } catch {
        // Another one was quicker.
        return false;
      }
      timer = setInterval(beat, beatMs).unref();
      return true;
    },
    clear: () => {
      clearInterval(timer);
      if (readMark(file) === process.pid) rmSync(file, { force: true });
    },
  };
}

function readMark(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
