import { relative } from 'node:path';
import type { FullstopErrorDetails } from 'fullstop';
import type { WorkflowInvalid } from 'fullstop/workflow';
import { counted } from '../journal/number-text.js';
import { problemsText } from '../render/problems-text.js';
import { harmless } from '../terminal/foreign-text.js';
import type { Terminal } from '../terminal/terminal.js';
import { exitCodes } from './exit-code.js';
import { fileErrorText } from './file-error.js';
import { UsageError } from './usage-error.js';

/** Codes of the store that say: this cannot work now, but may later. */
const retryableCodes: ReadonlySet<string> = new Set(['STORE_LOCKED', 'STORE_IO']);
const fatalCodes: ReadonlySet<string> = new Set([
  'STORE_CORRUPT',
  'STORE_DRIVER_MISSING',
  'STORE_FAILED',
  'STORE_FULL',
  'STORE_GONE',
  'STORE_READ_ONLY',
]);

interface LibraryError extends Error {
  readonly details?: Partial<FullstopErrorDetails['LIMIT_UNCHANGED'] & FullstopErrorDetails['MODEL_KEY_MISSING']>;
}

/** Says what went wrong and returns the exit code. Misuse is a sentence; a fault of this program shows its stack. */
export function reportError(error: unknown, terminal: Terminal): number {
  const { errorStyle: style } = terminal;
  if (error instanceof UsageError) {
    const more = error.command === undefined ? '' : ` (see fullstop ${error.command} --help)`;
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
  if (code !== undefined && code !== 'INTERNAL_DEFECT') {
    const message = messageOf(code, error as LibraryError);
    terminal.error(`${style.red('error')} ${harmless(message)} ${style.dim(`[${code}]`)}\n`);
    if (retryableCodes.has(code)) return exitCodes.retryable;
    return fatalCodes.has(code) ? exitCodes.fatal : exitCodes.usage;
  }
  const sentence = fileErrorText(error);
  if (sentence !== undefined) {
    terminal.error(`${style.red('error')} ${harmless(sentence)}\n`);
    return exitCodes.usage;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  terminal.error(`${style.red('internal error')} ${harmless(text)}\n`);
  return exitCodes.fatal;
}

/** The flags of `fullstop resume` by the options of the library that they stand for. */
const flags: Readonly<Record<string, string>> = {
  'budgets.costUsd': '--cost',
  'budgets.cycles': '--max-cycles',
  'budgets.facts': '--max-facts',
  'budgets.time': '--timeout',
  'budgets.tokens': '--tokens',
  budgetUsd: '--cost',
  'limits.costUsd': '--cost',
  'limits.steps': '--steps',
  'limits.timeMs': '--timeout',
  'limits.tokens': '--tokens',
  maxIterations: '--max-iterations',
};

/** The message of an error of the library. Where it would name an option of the library, it names the flag. */
function messageOf(code: string, { message, details }: LibraryError): string {
  if (details === undefined) return message;
  if (code === 'MODEL_KEY_MISSING')
    return `There is no key for ${details.provider}: set ${details.variables?.join(' or ')}, or let a script answer instead of a model: --scripted FILE.`;
  const { option = '', used, requestId, runId, summary } = details;
  if (code !== 'LIMIT_UNCHANGED') return message;
  const change = requestId === undefined ? flagAbove(option, used) : `--deadline ${requestId}=1d`;
  if (change === undefined) return message;
  const who = runId === undefined ? 'The convergence' : `The run ${runId}`;
  return `${who} would stop at once${summary === undefined ? '.' : `: ${summary}`} Resume it with ${change}.`;
}

function flagAbove(option: string, used: number | undefined): string | undefined {
  const flag = flags[option];
  if (flag === undefined || used === undefined) return undefined;
  return `${flag} above ${used}${flag === '--timeout' ? 'ms' : ''}`;
}

/** As it is written from here. */
function nearby(file: string): string {
  const path = relative(process.cwd(), file) || '.';
  return path.startsWith('..') ? file : path;
}

/** Known by its mark, so that the code of the library need not be loaded to report a typing error. */
function codeOf(error: unknown): string | undefined {
  const marked = error as { readonly code?: unknown; readonly [key: symbol]: unknown } | null;
  const isOurs = typeof error === 'object' && marked?.[Symbol.for('fullstop.error')] === true;
  return isOurs && typeof marked.code === 'string' ? marked.code : undefined;
}
