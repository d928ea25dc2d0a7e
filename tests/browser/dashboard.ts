import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll } from 'vitest';
import { makeDashboardStore } from './dashboard-store.js';

/** The program as it is installed; tests run nothing else. */
export const binary: string = resolve(import.meta.dirname, '../../packages/cli/dist/main.js');

/** A dashboard that runs in a process of its own. */
export interface RunningDashboard {
  /** The address with the token. */
  readonly url: string;
  readonly process: ChildProcess;
  /** The address of a page, for a browser that has been let in. */
  readonly at: (path: string) => string;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

const running = new Set<RunningDashboard>();
const folders = new Set<string>();

afterAll(async () => {
  await Promise.all([...running].map((dashboard) => dashboard.stop('SIGKILL')));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed after the tests of a file. */
export function makeFolder(): string {
  if (!existsSync(binary)) throw new Error(`${binary} is missing. Build first: npm run build`);
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-dashboard-'));
  folders.add(folder);
  return folder;
}

/** A folder with workflow files and a store of real runs. */
export async function makeFolderWithRuns(runs: number, seed = 7): Promise<string> {
  const folder = makeFolder();
  await makeDashboardStore({ folder, runs, seed });
  return folder;
}

/** The environment of the programs that tests start: nothing of whoever runs the tests. */
export function programEnvironment(folder: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '', HOME: folder, USER: 'tester', LANG: 'C.UTF-8' };
}

/** Starts a dashboard on the store of a folder and waits for its address. */
export async function startDashboard(folder: string, ...options: readonly string[]): Promise<RunningDashboard> {
  const child = spawn(process.execPath, [binary, 'dashboard', ...options], {
    cwd: folder,
    env: programEnvironment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((done) => child.on('close', () => done()));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const url = await Promise.race([
    new Promise<string>((done) => createInterface({ input: child.stdout }).once('line', done)),
    ended.then(() => Promise.reject(new Error(`The dashboard did not start: ${said}`))),
  ]);
  const dashboard: RunningDashboard = {
    url: url.trim(),
    process: child,
    at: (path) => new URL(path, url.trim()).href,
    stop: async (signal = 'SIGINT') => {
      running.delete(dashboard);
      child.kill(signal);
      await ended;
    },
  };
  running.add(dashboard);
  return dashboard;
}
