import { createInterface } from 'node:readline/promises';
import { UsageError } from '../command-line/usage-error.js';
import { oneLine } from './foreign-text.js';
import type { Terminal } from './terminal.js';

/** Asks yes or no. Where nobody can be asked, nothing is done without the option that says yes. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive) throw new UsageError(`${question} Not interactive: pass --yes to confirm.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-D closes the prompt without an answer, and no answer is a no.
    const left = new Promise<string>((resolve) => {
      lines.once('close', () => resolve(''));
    });
    return /^y(es)?$/i.test(
      (await Promise.race([lines.question(`${oneLine(terminal.masked(question))} [y/N] `), left])).trim(),
    );
  } finally {
    lines.close();
  }
}
