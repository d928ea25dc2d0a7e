import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  formatProblem,
  type LoadResult,
  loadDocument,
} from '../../packages/fullstop/src/workflow/load/load-document.js';
import { allCases, type ParityCase } from './case.js';
import { validateDifferences } from './validate-differences.js';

const cases = allCases();

const differs = (name: string): boolean => validateDifferences.some((difference) => difference.case === name);
/** A wrong command line is no matter of the file. */
const isUsageError = (one: ParityCase): boolean => one.expect.exit === 2;
const failsAtLoad = (one: ParityCase): boolean =>
  one.command !== 'validate' && one.expect.terminal === null && !isUsageError(one);

function load(one: ParityCase, lenient: boolean): LoadResult {
  return loadDocument({ file: join(one.directory, 'workflow.yaml'), env: one.env ?? {}, lenient });
}

function messages(result: LoadResult, severity: 'error' | 'warning'): string {
  const problems = result.ok ? result.loaded.warnings : result.problems;
  return problems
    .filter((problem) => problem.severity === severity)
    .map(formatProblem)
    .join('\n');
}

describe('files that the reference refuses to load', () => {
  it.each(cases.filter((one) => failsAtLoad(one) && !differs(one.name)))('$name is refused, also leniently', (one) => {
    const result = load(one, true);
    expect(result.ok).toBe(false);
    if (one.expect.error_contains) expect(messages(result, 'error')).toContain(one.expect.error_contains);
  });
});

describe('files that the reference validates', () => {
  it.each(cases.filter((one) => one.command === 'validate' && !differs(one.name)))('$name', (one) => {
    const result = load(one, false);
    expect(messages(result, 'error')).toSatisfy((text: string) => (one.expect.exit === 0) === (text === ''));
    if (one.expect.error_contains) expect(messages(result, 'error')).toContain(one.expect.error_contains);
    if (one.expect.warning_contains) expect(messages(result, 'warning')).toContain(one.expect.warning_contains);
  });
});

describe('files that the reference runs', () => {
  const runnable = cases.filter((one) => one.command !== 'validate' && !failsAtLoad(one) && !differs(one.name));
  it.each(runnable)('$name loads leniently', (one) => {
    expect(messages(load(one, true), 'error')).toBe('');
  });
});

describe('deliberate differences', () => {
  const page = readFileSync(new URL('../../docs/conductor-compatibility.md', import.meta.url), 'utf8');
  it.each(validateDifferences)('$case is on the page about compatibility', ({ case: name }) => {
    expect(page).toContain(name);
  });

  it.each(validateDifferences)('$case is decided otherwise: $why', ({ case: name, does }) => {
    const one = cases.find((candidate) => candidate.name === name) as ParityCase;
    const result = load(one, false);
    if (does === 'refuses_otherwise') {
      expect(one.expect.exit).not.toBe(0);
      expect(result.ok).toBe(false);
      expect(messages(result, 'error')).not.toContain(one.expect.error_contains);
      return;
    }
    expect(one.expect.exit === 0).toBe(does === 'refuses');
    expect(result.ok).toBe(does === 'accepts');
    expect(load(one, true).ok).toBe(does === 'accepts');
  });
});
