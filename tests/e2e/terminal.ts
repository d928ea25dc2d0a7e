import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { binary, type Place } from './binary.js';

/** A key as a terminal sends it. */
export const keys = { enter: '\r', down: '\u001b[B', interrupt: '\u0003', endOfInput: '\u0004' } as const;

export interface Screen {
  /** Settles when this has been shown. */
  shows(words: string | RegExp): Promise<void>;
  press(keys: string): void;
  /** Sends a signal to the program itself, by the id that its shell wrote down before it became the program. */
  signal(name: NodeJS.Signals): void;
  /** Everything that was written to the terminal, and the exit code. */
  readonly over: Promise<{ readonly code: number | null; readonly text: string }>;
}

/** True when a program is installed; where it is not, the tests that need it are skipped, and that is said. */
export function isInstalled(program: string): boolean {
  const found = spawnSync(program, [program === 'tmux' ? '-V' : '--version']).error === undefined;
  if (!found) console.warn(`SKIPPED: ${program} is not installed, so nothing was tried on a terminal through it.`);
  return found;
}

/** Starts the program on a pseudo-terminal of its own. */
export function onTerminal(place: Place, args: readonly string[], columns = 100): Screen {
  const command = [process.execPath, binary, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child: ChildProcess = spawn(
    'script',
    ['-qfec', `stty cols ${columns} rows 30; echo $$ > pid; exec ${command}`, '/dev/null'],
    {
      cwd: place.folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: place.folder,
        USER: 'tester',
        LANG: 'C.UTF-8',
        TERM: 'xterm-256color',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let text = '';
  const listeners = new Set<() => void>();
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    for (const listener of listeners) listener();
  });
  const closed = new Promise<number | null>((done) => child.on('close', done));
  return {
    shows: (words) =>
      new Promise((done, fail) => {
        const look = (): void => {
          const plain = withoutColours(text);
          if (typeof words === 'string' ? plain.includes(words) : words.test(plain)) done();
        };
        listeners.add(look);
        look();
        void closed.then(() => fail(new Error(`It never showed ${words}, but:\n${withoutColours(text)}`)));
      }),
    press: (pressed) => child.stdin?.write(pressed),
    signal: (name) => {
      process.kill(Number(readFileSync(place.path('pid'), 'utf8')), name);
    },
    over: closed.then((code) => {
      child.stdin?.destroy();
      return { code, text };
    }),
  };
}

export function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it looks for.
  return text.replace(/\u001b\[[0-9;?]*[a-zA-Z]/g, '').replaceAll('\r', '');
}
