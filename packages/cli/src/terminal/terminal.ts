import type { Style } from './style.js';
import { makeStyle, wantsColours, wantsGlyphs } from './style.js';

/** The output: results on stdout, everything for people on stderr. */
export interface Terminal {
  readonly outStyle: Style;
  readonly errorStyle: Style;
  /** Someone watches stdout. */
  readonly outIsTerminal: boolean;
  /** Someone watches stderr. */
  readonly errorIsTerminal: boolean;
  /** Questions can be asked. */
  readonly isInteractive: boolean;
  readonly outColumns: number;
  readonly errorColumns: number;
  out(text: string): void;
  error(text: string): void;
  /** The reaction when nobody reads stdout any more: readers stop, while a run continues to its ending. */
  onBrokenPipe: 'exit' | 'continue';
  /** True once nobody reads stdout any more. */
  readonly isBroken: boolean;
  /** Puts names in the place of values that must not be shown. */
  mask(secrets: ReadonlyMap<string, string>): void;
  /** Waits until everything is written. */
  flush(): Promise<void>;
}

export interface TerminalOptions {
  readonly color?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The terminal, pipes or files of this process. */
export function processTerminal({ color, env }: TerminalOptions): Terminal {
  const { stdin, stdout, stderr } = process;
  const glyphs = wantsGlyphs(env);
  const styleFor = (stream: NodeJS.WriteStream): Style =>
    makeStyle(wantsColours({ wish: color, env, isTerminal: stream.isTTY === true }), glyphs);
  const broken = { out: false, error: false };
  let masked = (text: string): string => text;
  const terminal: Terminal = {
    outStyle: styleFor(stdout),
    errorStyle: styleFor(stderr),
    outIsTerminal: stdout.isTTY === true,
    errorIsTerminal: stderr.isTTY === true,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    get outColumns() {
      return columnsOf(stdout, env);
    },
    get errorColumns() {
      return columnsOf(stderr, env);
    },
    out: (text) => {
      if (!broken.out) stdout.write(masked(text));
    },
    error: (text) => {
      if (!broken.error) stderr.write(masked(text));
    },
    onBrokenPipe: 'exit',
    get isBroken() {
      return broken.out;
    },
    mask: (secrets) => {
      masked = masking(secrets);
    },
    flush: async () => {
      await Promise.all([written(stdout, broken.out), written(stderr, broken.error)]);
    },
  };
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    broken.out = true;
    if (terminal.onBrokenPipe === 'exit') process.exit(0);
  });
  // Whoever read the progress has gone; the run itself is not over.
  stderr.on('error', () => {
    broken.error = true;
  });
  return terminal;
}

/** A shorter value is not a secret: too much text would look like it. */
const shortestSecret = 6;

/** Values in texts become `‹NAME›`, also where JSON has escaped them. */
function masking(secrets: ReadonlyMap<string, string>): (text: string) => string {
  const found = [...secrets].filter(([, value]) => value.length >= shortestSecret);
  return (text) =>
    found.reduce((shown, [name, value]) => {
      const escaped = JSON.stringify(value).slice(1, -1);
      return shown.replaceAll(value, `‹${name}›`).replaceAll(escaped, `‹${name}›`);
    }, text);
}

function columnsOf(stream: NodeJS.WriteStream, env: TerminalOptions['env']): number {
  const wish = Number(env['COLUMNS']);
  // A terminal that does not know its own width says 0.
  const columns = stream.columns || (Number.isInteger(wish) && wish > 0 ? wish : 100);
  return Math.max(columns, 20);
}

function written(stream: NodeJS.WriteStream, isBroken: boolean): Promise<void> {
  if (isBroken || !stream.writable) return Promise.resolve();
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
