import type { EntryDraft } from 'fullstop/journal';
import type { Terminal } from '../terminal/terminal.js';
import { fitted } from '../terminal/wrap.js';
import { RunProgress } from './run-progress.js';
import type { StepKinds } from './step-kinds.js';

/** Shows a run while it runs: on a terminal with a line that moves, else one plain line for each step. */
export interface LiveProgress {
  /** Called with each entry that is about to be written. */
  onAppend(entry: EntryDraft): void;
  /** Called with each entry once it is durable. */
  onEntry(entry: EntryDraft): void;
  /** Takes the moving line away, so that others can write. */
  pause(): void;
  resume(): void;
  stop(): void;
}

const frames = { glyphs: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'], plain: ['|', '/', '-', '\\'] } as const;
const frameMs = 100;
/** Where nothing moves, a step that takes longer than this is named. */
const patienceMs = 1000;
const lookMs = 250;

export interface LiveOptions {
  /** Nothing is shown. */
  readonly quiet: boolean;
  readonly kinds: StepKinds;
}

export function liveProgress(terminal: Terminal, { quiet, kinds }: LiveOptions): LiveProgress {
  const { errorStyle: style } = terminal;
  const wide = terminal.errorIsTerminal ? { columns: () => terminal.errorColumns } : {};
  const progress = new RunProgress(style, { kinds, ...wide });
  const moves = terminal.errorIsTerminal && !quiet;
  const signs = style.glyphs ? frames.glyphs : frames.plain;
  let frame = 0;
  let isShown = false;
  let timer: NodeJS.Timeout | undefined;
  const clear = (): void => {
    if (isShown) terminal.redraw('');
    isShown = false;
  };
  const draw = (): void => {
    frame += 1;
    const sign = style.cyan(signs[frame % signs.length] ?? '');
    terminal.redraw(`  ${sign} ${fitted(progress.status(), terminal.errorColumns - 6)}`);
    isShown = true;
  };
  const name = (): void => {
    const lines = progress.lasting(patienceMs);
    if (lines.length > 0) terminal.error(`${lines.join('\n')}\n`);
  };
  const start = (): void => {
    if (quiet || timer !== undefined) return;
    timer = moves ? setInterval(draw, frameMs) : setInterval(name, lookMs);
    timer.unref();
  };
  const halt = (): void => {
    clearInterval(timer);
    timer = undefined;
    clear();
  };
  start();
  return {
    onAppend: (entry) => progress.begin(entry),
    onEntry: (entry) => {
      const lines = progress.take(entry);
      if (quiet || lines.length === 0) return;
      clear();
      terminal.error(`${lines.join('\n')}\n`);
    },
    pause: halt,
    resume: start,
    stop: halt,
  };
}
