import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The mark that distinguishes a process from every other one, also from a later one with the same number. */
export interface ProcessMark {
  readonly host: string;
  /** The boot of the machine and the process namespace: numbers mean something only within it. */
  readonly space: string;
  readonly pid: number;
  /** When it was started, in the kernel's ticks; empty where that cannot be read. */
  readonly startedAt: string;
}

export function ownMark(): ProcessMark {
  return markOf(process.pid);
}

/** The mark of a process of this machine that lives. */
export function markOf(pid: number): ProcessMark {
  return { host: hostname(), space: ownSpace(), pid, startedAt: statOf(pid)?.startedAt ?? '' };
}

/** Whether a process lives, as far as this machine can tell. */
export function lifeOf(mark: ProcessMark): 'alive' | 'dead' | 'unknown' {
  if (mark.host !== hostname()) return 'unknown';
  const [boot, namespace] = mark.space.split(' ');
  const [ownBoot, ownNamespace] = ownSpace().split(' ');
  // The machine has been restarted: nothing from before is alive.
  if (boot !== ownBoot) return 'dead';
  if (namespace !== ownNamespace) return 'unknown';
  if (mark.startedAt === '') return answersSignals(mark.pid) ? 'alive' : 'dead';
  const stat = statOf(mark.pid);
  return stat !== undefined && stat.startedAt === mark.startedAt && !stat.zombie ? 'alive' : 'dead';
}

function ownSpace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only Linux has this; elsewhere the process number has to do.
    return ' ';
  }
}

function statOf(pid: number): { readonly startedAt: string; readonly zombie: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything, so the fields are counted from the end of it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { startedAt: fields[19] ?? '', zombie: fields[0] === 'Z' };
  } catch {
    // No such process, or no /proc.
    return undefined;
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not being allowed to signal it means that it is there.
    return (error as { readonly code?: unknown }).code === 'EPERM';
  }
}
