import type { Terminal } from './terminal.js';
import { fitted } from './wrap.js';

export interface Progress {
  /** Says how far it is; shown only on a terminal, and only once it has taken a second. */
  show(text: string): void;
  /** Takes the line away again. */
  clear(): void;
}

const patienceMs = 1000;
const betweenMs = 100;

/** A line on stderr for what takes its time. */
export function makeProgress(terminal: Terminal, what: string, now: () => number = Date.now): Progress {
  const begin = now();
  let last = 0;
  let isShown = false;
  return {
    show(text) {
      const at = now();
      if (!terminal.errorIsTerminal || at - begin < patienceMs || at - last < betweenMs) return;
      last = at;
      isShown = true;
      terminal.redraw(fitted(`${what}: ${text}`, terminal.errorColumns - 1));
    },
    clear() {
      if (isShown) terminal.redraw('');
      isShown = false;
    },
  };
}
