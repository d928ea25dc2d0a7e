import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteEngine } from 'fullstop/engines/sqlite';
import { dispatch } from '../command-line/dispatch.js';
import { makeStyle } from '../terminal/style.js';
import type { Terminal } from '../terminal/terminal.js';

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** A folder in which commands are typed, with a store of its own. */
export class Desk {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'fullstop-advice-'));
  readonly #home: string = process.cwd();

  constructor() {
    process.chdir(this.folder);
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  /** The store that commands find here. */
  store(): ReturnType<typeof sqliteEngine> {
    return sqliteEngine(join(this.folder, 'runs.db'));
  }

  /** Types a command, as words or as it was printed. */
  async type(command: string | readonly string[]): Promise<Printed> {
    const words = typeof command === 'string' ? shellWords(command) : command;
    const printed = { out: '', error: '' };
    const terminal = quietTerminal(printed);
    const env = { PATH: process.env['PATH'], USER: 'tester', FULLSTOP_STORE: join(this.folder, 'runs.db') };
    const code = await dispatch(words[0] === 'fullstop' ? words.slice(1) : words, { terminal, env, cwd: this.folder });
    return { code, ...printed };
  }

  remove(): void {
    process.chdir(this.#home);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function quietTerminal(printed: { out: string; error: string }): Terminal {
  const style = makeStyle(false);
  const out = (text: string): void => {
    printed.out += text;
  };
  const error = (text: string): void => {
    printed.error += text;
  };
  return {
    outStyle: style,
    errorStyle: style,
    outIsTerminal: false,
    errorIsTerminal: false,
    isInteractive: false,
    outColumns: 100,
    errorColumns: 100,
    out,
    data: out,
    error,
    redraw: error,
    screen: out,
    command: error,
    onBrokenPipe: 'continue',
    isBroken: false,
    hide: () => undefined,
    masked: (text) => text,
    flush: () => Promise.resolve(),
  };
}

/** The commands in a text for people, in their order. */
export function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w-])fullstop (?:resume|retry|answer|cancel|show|events)\b[^\n]*/g)].map(([command]) =>
    command.trimEnd(),
  );
}

/** The command with what a person fills in for its placeholders. */
export function filledIn(command: string): string {
  return command
    .replace('--value TEXT', '--value fine')
    .replace('--value-json JSON', "--value-json '{}'")
    .replace('--model MODEL', '--model larger');
}

/** The words of a command as a shell reads them. */
function shellWords(command: string): readonly string[] {
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g)].map(([word]) =>
    word.replace(
      /'([^']*)'|"([^"]*)"|\\(.)/g,
      (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? '',
    ),
  );
}
