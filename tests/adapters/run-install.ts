import { execFile } from 'node:child_process';

/** An install of packages, and how long it may take. */
export interface Install {
  readonly name: string;
  readonly folder: string;
  readonly limitMs: number;
  /** The program and its arguments; `npm ci` unless given. */
  readonly command?: readonly [string, ...string[]];
}

// A registry that accepts a request and never answers it is waited for by npm itself for five minutes, three times, without a word.
const patience = ['--fetch-timeout=60000', '--fetch-retries=3', '--fetch-retry-maxtimeout=10000'];
const usual = ['npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts', ...patience] as const;

/** Runs an install that can neither ask anything nor last forever; fails with all that it printed. */
export function runInstall({ name, folder, limitMs, command = usual }: Install): Promise<void> {
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, timeout: limitMs, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve();
      const what = error.killed === true ? `was not through after ${limitMs / 1000} s` : `failed: ${error.message}`;
      const words = `Installing ${name} into ${folder} ${what}. It needs the npm registry; try "${command.join(' ')}" in that folder.`;
      reject(new Error(`${words}\n${stdout}${stderr}`, { cause: error }));
    });
    child.stdin?.end();
  });
}
