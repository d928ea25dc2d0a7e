import { describe, expect, it } from 'vitest';
import { loadText, problemsOf, workflowOf } from './load-text.fixture.js';

/** Texts on which a careless pattern or walk takes minutes; here each takes a moment, or the test runs out of time. */
const many = 200_000;
const set = (value: string): string => workflowOf(`{name: a, type: set, value: ${JSON.stringify(value)}}`);

describe('hostile files', () => {
  it.each<[string, string]>([
    ['blanks in a duration', workflowOf(`{name: a, type: wait, duration: "1${' '.repeat(many)}x"}`)],
    ['blanks in a number', workflowOf(`{name: a, timeout_seconds: "1${' '.repeat(many)}x"}`)],
    ['digits in a plain text', `${workflowOf('{name: a}')}\noutput: {x: ${'1'.repeat(4000)}x}`],
    ['open marks of the environment', set('${'.repeat(many))],
    ['open marks of templates', set('{{'.repeat(20_000))],
    ['blanks in a template', set(`{{${' '.repeat(many)}`)],
    ['a long name', workflowOf(`{name: ${'a'.repeat(many)}, routes: [{to: ${'b'.repeat(many)}}]}`)],
    ['a long unknown key', workflowOf(`{name: a, ${'k'.repeat(1000)}: x}`)],
    [
      'many unknown keys',
      workflowOf(`{name: a, ${Array.from({ length: 2000 }, (_, index) => `k${index}: x`).join(', ')}}`),
    ],
    ['many open brackets', '['.repeat(many)],
    ['many open braces', '{a: '.repeat(20_000)],
    ['many dashes', '- '.repeat(20_000)],
    ['many keys', '? '.repeat(20_000)],
    ['a long pattern', workflowOf(`{name: a, output: {f: {type: string, pattern: "${'(a'.repeat(5000)}"}}}`)],
    [
      'deep output fields',
      workflowOf(
        `{name: a, output: {f: ${'{type: object, properties: {f: '.repeat(45)}{type: string}${'}}'.repeat(45)}}}`,
      ),
    ],
  ])('%s', { timeout: 300_000 }, (_, text) => {
    const result = loadText(text);
    const problems = result.ok ? result.loaded.warnings : result.problems;
    expect(problems.every(({ line, column, message }) => line >= 1 && column >= 1 && message.length < many * 3)).toBe(
      true,
    );
  });

  it('names that every object inherits are unknown keys like any other', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(problemsOf(workflowOf(`{name: a, ${key}: x}`))).toMatchObject([
        { code: 'UNKNOWN_KEY', path: `agents.0.${key}` },
      ]);
      expect(problemsOf(workflowOf(`{name: a, type: ${key}}`))).toMatchObject([{ code: 'NOT_A_CHOICE' }]);
    }
  });

  it('steps may be named like what every object inherits', () => {
    const text = workflowOf(
      '{name: constructor, type: set, value: x, routes: [{to: __proto__}]}',
      '{name: __proto__, type: set, value: "{{ constructor.output }}"}',
    );
    expect(problemsOf(text)).toEqual([]);
  });
});
