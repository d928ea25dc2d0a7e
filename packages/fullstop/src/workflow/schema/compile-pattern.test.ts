import { describe, expect, it } from 'vitest';
import { compilePattern } from './compile-pattern.js';

function found(pattern: string, text: string): boolean | string {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.test(text) : compiled.reason;
}

describe('the pattern of an output field', () => {
  it.each([
    ['^(a+)+$', 'aaa', true],
    ['\\Aabc\\Z', 'abc', true],
    ['\\Aabc\\Z', 'xabc', false],
    ['(?i)^OK', 'okay', true],
    ['(?P<year>\\d{4})-\\d\\d', 'in 2026-11', true],
    ['[\\w\\-]+@x', 'a-b@x', true],
    ['^\\\\A', '\\A', true],
    ['^.$', '😀', true],
  ])('%s on %j', (pattern, text, expected) => {
    expect(found(pattern, text)).toBe(expected);
  });

  it('cannot hang the process', () => {
    expect(found('^(a+)+$', `${'a'.repeat(20_000)}!`)).toBe(false);
  });

  it.each([
    ['(?=a)b', 'look-around'],
    ['(?<!a)b', 'look-around'],
    ['(a)\\1', 'refers back'],
    ['(?P<n>a)(?P=n)', 'refers back'],
    ['(', 'not a valid regular expression'],
    ['(?m)\\Aa', 'do not go with (?m)'],
  ])('%s is refused', (pattern, reason) => {
    expect(found(pattern, 'a')).toContain(reason);
  });
});
