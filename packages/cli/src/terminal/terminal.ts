import { shownJson, shownText } from './foreign-text.js';
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
  /** Text for people on stdout. Whatever others have written is cleaned of what a terminal or a job log would obey. */
  out(text: string): void;
  /** JSON on stdout: the same value for whoever parses it, and just as harmless. */
  data(json: string): void;
  /** Text for people on stderr, cleaned too. */
  error(text: string): void;
  /** Shows a line on stderr in the place of the current one; an empty one takes it away. */
  redraw(line: string): void;
  /** Shows these lines on the whole of stdout's screen. */
  screen(lines: string): void;
  /** A command of ours to the job that runs this, with texts escaped already. */
  command(text: string): void;
  /** The reaction when nobody reads stdout any more: readers stop, while a run continues to its ending. */
  onBrokenPipe: 'exit' | 'continue';
  /** True once nobody reads stdout any more. */
  readonly isBroken: boolean;
  /** Puts names in the place of values that must not be shown, from now on. */
  hide(mask: Mask): void;
  /** The text with names in the place of such values. */
  masked(text: string): string;
  /** Waits until everything is written. */
  flush(): Promise<void>;
}

/** Puts names in the place of values. */
export type Mask = (text: string) => string;

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
  let masked: Mask = (text) => text;
  const [outStyle, errorStyle] = [styleFor(stdout), styleFor(stderr)];
  const out = (text: string): void => {
    if (!broken.out) stdout.write(text);
  };
  const error = (text: string): void => {
    if (!broken.error) stderr.write(text);
  };
  const shownOut = (text: string): string => shownText(masked(text), outStyle.colours);
  const shownError = (text: string): string => shownText(masked(text), errorStyle.colours);
  const terminal: Terminal = {
    outStyle,
    errorStyle,
    outIsTerminal: stdout.isTTY === true,
    errorIsTerminal: stderr.isTTY === true,
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    get outColumns() {
      return columnsOf(stdout, env);
    },
    get errorColumns() {
      return columnsOf(stderr, env);
    },
    out: (text) => out(shownOut(text)),
    data: (json) => out(shownJson(masked(json))),
    error: (text) => error(shownError(text)),
    redraw: (line) => error(`\r${shownError(line).replaceAll('\n', ' ')}\u001b[K`),
    // Home, then each line over the one before, then nothing below: no flicker.
    screen: (lines) => out(`\u001b[H${shownOut(lines).replaceAll('\n', '\u001b[K\n')}\u001b[J`),
    command: (text) => error(masked(text)),
    onBrokenPipe: 'exit',
    get isBroken() {
      return broken.out;
    },
    hide: (mask) => {
      masked = mask;
    },
    masked: (text) => masked(text),
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
