import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** The program as it is installed; tests run nothing else. */
export const binary: string = resolve(import.meta.dirname, '../../packages/cli/dist/main.js');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Settles when stderr has this text. */
  says(words: string): Promise<void>;
}

/** A folder of its own for each test, in which the program is started. */
export class Place {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'fullstop-e2e-'));

  constructor() {
    if (!existsSync(binary)) throw new Error(`${binary} is missing. Build first: npm run build`);
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.folder, name), content);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
    const child = spawn(process.execPath, [binary, ...args], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: this.folder, USER: 'tester', LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let seen = '';
    const listeners = new Set<() => void>();
    child.stderr.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      for (const listener of listeners) listener();
    });
    const code = new Promise<number | null>((done) => child.on('close', done));
    const finished = Promise.all([code, text(child.stdout)]).then(([exit, stdout]) => ({
      code: exit,
      stdout,
      stderr: seen,
    }));
    const says = (words: string): Promise<void> =>
      new Promise((done, fail) => {
        const look = (): void => {
          if (seen.includes(words)) done();
        };
        listeners.add(look);
        look();
        void code.then(() => fail(new Error(`It never said ${JSON.stringify(words)}, but: ${seen}`)));
      });
    return { child, finished, says };
  }

  /** Runs the program to its end. */
  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return this.start(args, env).finished;
  }

  /** Runs the program and gives what it printed as JSON. */
  async json(args: readonly string[]): Promise<unknown> {
    const { stdout, stderr, code } = await this.run(args);
    try {
      return JSON.parse(stdout) as unknown;
    } catch (error) {
      throw new Error(`fullstop ${args.join(' ')} gave exit ${code} and no JSON: ${stdout}\n${stderr}`, {
        cause: error,
      });
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
