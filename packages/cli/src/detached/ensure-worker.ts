import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageFolder } from '../command-line/package-folder.js';
import { UsageError } from '../command-line/usage-error.js';
import { LeftRuns } from './left-runs.js';
import { hasWorker } from './worker-mark.js';

export interface WorkerNeed {
  /** The file of the store, or the address of its server. */
  readonly store: string;
  readonly isServer: boolean;
  /** The queues of the configuration. */
  readonly queues: readonly string[];
  /** The beginning of the names of the worker's own files. */
  readonly beside: string;
  /** The configuration that was used, if one was. */
  readonly config: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How long to wait for a sign of the new worker; only a machine that is very busy needs that long. */
const patienceMs = 60_000;
const lookMs = 50;
/** A log that has grown larger is begun anew. */
const mostLogBytes = 1_000_000;

/**
 * Sees to it that a worker executes what is ready in a store, whatever becomes of this process. To be called after something was made
 * ready: a worker that is about to leave takes its mark away first and then looks once more, so that nothing is left lying. On a server, where
 * others have workers, it executes these runs only; and where queues are configured there is none, because it would keep none of their limits.
 */
export async function ensureWorker(
  need: WorkerNeed,
  runIds: readonly string[],
): Promise<'queued' | 'started' | 'there'> {
  if (need.isServer && need.queues.length > 0) return 'queued';
  if (need.isServer) new LeftRuns(need.beside).add(runIds);
  if (hasWorker(need.beside)) return 'there';
  const { log, ended } = start(need);
  for (const before = Date.now(); Date.now() - before < patienceMs; ) {
    if (hasWorker(need.beside)) return 'started';
    const code = ended();
    // It found nothing to do any more, or another worker that was quicker.
    if (code === 0) return 'started';
    if (code !== undefined) throw cannotStart(`it ended at once (exit code ${code})`, log);
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  throw cannotStart('there was no sign of it in time', log);
}

function start({ store, beside, config, cwd, env }: WorkerNeed): { readonly log: string; ended(): number | undefined } {
  const log = `${beside}.worker.log`;
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const isLong = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > mostLogBytes;
  const output = openSync(log, isLong ? 'w' : 'a', 0o600);
  const args = ['worker', '--until-idle', '--alone', ...(config === undefined ? [] : ['--config', config])];
  const child = spawn(process.execPath, [program(), ...args], {
    cwd,
    // The address of a server may hold a password, which everyone could read among the arguments.
    env: { ...env, FULLSTOP_STORE: store },
    // A session of its own: closing the terminal or Ctrl-C in it means the command, not the worker.
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  let code: number | undefined;
  child.once('exit', (exit) => {
    code = exit ?? 1;
  });
  child.once('error', () => {
    code = 1;
  });
  child.unref();
  return { log, ended: () => code };
}

/** The program as it is installed. */
function program(): string {
  const file = join(packageFolder(), 'dist', 'main.js');
  if (!existsSync(file)) throw new UsageError(`${file} is missing: this installation is not whole.`);
  return file;
}

function cannotStart(why: string, log: string): UsageError {
  const said = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').slice(-3).join(' ') : '';
  return new UsageError(
    `No worker could be started: ${why}. ${said === '' ? '' : `It said: ${said} `}The run is kept; fullstop worker executes it. More is in ${log}.`,
  );
}
