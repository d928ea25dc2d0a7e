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

  it('is shown with its stack when it is a defect', () => {
    const { text, exitCode } = report(new FullstopError('INTERNAL_DEFECT', 'This cannot be.'));
    expect(text).toMatch(/^internal error FullstopError: This cannot be\.\n +at /);
    expect(exitCode).toBe(exitCodes.fatal);
  });
});
