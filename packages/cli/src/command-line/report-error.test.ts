import { FullstopError } from 'fullstop';
import { describe, expect, it } from 'vitest';
import { makeStyle } from '../terminal/style.js';
import type { Terminal } from '../terminal/terminal.js';
import { exitCodes } from './exit-code.js';
import { reportError } from './report-error.js';

function report(error: unknown): { readonly text: string; readonly exitCode: number } {
  let text = '';
  const terminal = { errorStyle: makeStyle(false, false), error: (more: string) => (text += more) };
  const exitCode = reportError(error, terminal as unknown as Terminal);
  return { text, exitCode };
}

describe('an error of the library', () => {
  it.each([
    [{ option: 'limits.steps', used: 3 }, '--steps above 3'],
    [{ option: 'limits.timeMs', used: 500 }, '--timeout above 500ms'],
    [{ option: 'budgetUsd', used: 0.5 }, '--cost above 0.5'],
    [{ option: 'budgets.cycles', used: 4 }, '--max-cycles above 4'],
    [{ option: 'deadlines', requestId: 'review', used: 1700000000000 }, '--deadline review=1d'],
  ])('names the flag for %j', (details, flag) => {
    const error = new FullstopError('LIMIT_UNCHANGED', 'In words of the library.', {
      details: { ...details, runId: 'r', summary: 'Used 3 of 3.' },
    });
    expect(report(error)).toEqual({
      text: `error The run r would stop at once: Used 3 of 3. Resume it with ${flag}. [LIMIT_UNCHANGED]\n`,
      exitCode: exitCodes.usage,
    });
  });

  it('keeps its message where no flag changes it', () => {
    const details = { option: 'stopWhen', runId: 'r' };
    const error = new FullstopError('LIMIT_UNCHANGED', 'Raise the limit.', { details });
    expect(report(error).text).toBe('error Raise the limit. [LIMIT_UNCHANGED]\n');
  });

  it('says what a command can do about a missing key', () => {
    const details = { provider: 'openai', variables: ['OPENAI_API_KEY'] };
    const error = new FullstopError('MODEL_KEY_MISSING', 'Set it, or pass apiKey.', { details });
    expect(report(error).text).toContain(
      'set OPENAI_API_KEY, or let a script answer instead of a model: --scripted FILE',
    );
  });

  it('is shown with its stack when it is a defect', () => {
    const { text, exitCode } = report(new FullstopError('INTERNAL_DEFECT', 'This cannot be.'));
    expect(text).toMatch(/^internal error FullstopError: This cannot be\.\n +at /);
    expect(exitCode).toBe(exitCodes.fatal);
  });
});

describe('an error of the system about a file', () => {
  it('is a sentence with its path', () => {
    const given = { code: 'ENOENT', syscall: 'open', path: '/missing/run.html' };
    expect(report(Object.assign(new Error('ENOENT: no such file'), given))).toEqual({
      text: 'error /missing/run.html cannot be used (open): it, or the folder that it would be in, does not exist.\n',
      exitCode: exitCodes.usage,
    });
  });

  it('is shown with its stack when it is about no file', () => {
    const given = { code: 'EPIPE', syscall: 'write' };
    expect(report(Object.assign(new Error('EPIPE'), given)).text).toMatch(/^internal error Error: EPIPE\n +at /);
  });
});
