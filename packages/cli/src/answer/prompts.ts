import { harmless, oneLine } from '../terminal/foreign-text.js';

/** One of the choices of a prompt. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Prompts at the terminal; each returns undefined when the person leaves it. */
export interface Prompts {
  choose(message: string, choices: readonly Choice[]): Promise<string | undefined>;
  write(message: string, options: { readonly severalLines: boolean }): Promise<string | undefined>;
  /** Stops listening for keys that leave. */
  close(): void;
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** Opens prompts on stderr. Ctrl-C, Ctrl-D and the end of the input leave them, and so does whoever withdraws the question. */
export async function openPrompts(withdrawn?: AbortSignal): Promise<Prompts> {
  const { isCancel, multiline, select, text } = await import('@clack/prompts');
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  // The prompts themselves know only Ctrl-C: after Ctrl-D they would wait for keys that can no longer come.
  const onKey = (_text: unknown, key?: Key): void => {
    if (key?.ctrl === true && key.name === 'd') leave();
  };
  process.stdin.on('keypress', onKey);
  process.stdin.once('end', leave);
  withdrawn?.addEventListener('abort', leave);
  if (withdrawn?.aborted === true) leave();
  const common = { output: process.stderr, signal: leaving.signal };
  return {
    async choose(message, choices) {
      const chosen = await select({ ...common, message: harmless(message), options: choices.map(shownChoice) });
      return isCancel(chosen) ? undefined : chosen;
    },
    async write(message, { severalLines }) {
      const said = await (severalLines
        ? multiline({ ...common, message: `${harmless(message)}\n(Enter twice to finish)` })
        : text({ ...common, message: harmless(message) }));
      return isCancel(said) ? undefined : said;
    },
    close() {
      process.stdin.off('keypress', onKey);
      process.stdin.off('end', leave);
      withdrawn?.removeEventListener('abort', leave);
    },
  };
}

function shownChoice({ value, label }: Choice): Choice {
  return { value, label: oneLine(label) };
}
