import { relative } from 'node:path';
import type { WorkflowInvalid } from 'fullstop/workflow';
import { counted } from '../journal/words.js';
import { problemsText } from '../render/problems-text.js';
import type { Terminal } from '../terminal/terminal.js';
import { harmless } from '../terminal/wrap.js';
import { exitCodes } from './exit-code.js';
import { UsageError } from './usage-error.js';

/** Codes of the store that say: this cannot work now, but may later. */
const retryableCodes: ReadonlySet<string> = new Set(['STORE_LOCKED', 'STORE_IO']);
const fatalCodes: ReadonlySet<string> = new Set([
  'STORE_CORRUPT',
  'STORE_DRIVER_MISSING',
  'STORE_FAILED',
  'STORE_FULL',
  'STORE_READ_ONLY',
]);

/** Says what went wrong and gives the exit code. Misuse is a sentence; a fault of this program shows its stack. */
export function reportError(error: unknown, terminal: Terminal): number {
  const { errorStyle: style } = terminal;
  if (error instanceof UsageError) {
    const more = error.command === undefined ? '' : ` See fullstop ${error.command} --help.`;
    terminal.error(`${style.red('error')} ${harmless(error.message)}${style.dim(more)}\n`);
    return exitCodes.usage;
  }
  const code = codeOf(error);
  if (code === 'INVALID_WORKFLOW') {
    const problems = (error as WorkflowInvalid).problems.map((each) => ({ ...each, file: nearby(each.file) }));
    const errors = problems.filter(({ severity }) => severity === 'error').length;
    terminal.error(`${problemsText(problems, style)}${counted(errors, 'error')}; nothing was started.\n`);
    return exitCodes.usage;
  }
  if (code !== undefined) {
    const message = inOptions(code, (error as Error).message);
    terminal.error(`${style.red('error')} ${harmless(message)} ${style.dim(`[${code}]`)}\n`);
    if (retryableCodes.has(code)) return exitCodes.retryable;
    return fatalCodes.has(code) ? exitCodes.fatal : exitCodes.usage;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.error(`${style.red('internal error')} ${harmless(text)}\n`);
  return exitCodes.fatal;
}

const optionWords: readonly (readonly [RegExp, string])[] = [
  [/maxIterations/, '--max-iterations'],
  [/budgetUsd|limits: \{ costUsd: … \}/, '--cost'],
  [/limits: \{ timeMs: … \} above (\d+)/, '--timeout above $1ms'],
  [/limits: \{ (tokens|steps): … \}/, '--$1'],
  [/deadlines: \{ (.+?): … \} above \d+/, '--deadline $1=1d'],
];

/** The library names its own options; on a command line they are called otherwise. */
function inOptions(code: string, message: string): string {
  if (code !== 'LIMIT_UNCHANGED') return message;
  return optionWords.reduce((words, [name, option]) => words.replace(name, option), message);
}

/** As it is written from here. */
function nearby(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
}

/** Known by its mark, so that the code of the library need not be loaded to report a typing error. */
function codeOf(error: unknown): string | undefined {
  const marked = error as { readonly code?: unknown; readonly [key: symbol]: unknown } | null;
  const isOurs = typeof error === 'object' && marked?.[Symbol.for('fullstop.error')] === true;
  return isOurs && typeof marked.code === 'string' ? marked.code : undefined;
}
