import { describe, expect, it } from 'vitest';
import {
  colonList,
  colonText,
  counted,
  cutText,
  dollars,
  duration,
  grouped,
  head,
  inline,
  listed,
  percent,
  sentence,
} from './wording.js';

describe('wording', () => {
  it.each([
    [0, '0 steps'],
    [1, '1 step'],
    [2, '2 steps'],
    [1_234_567, '1,234,567 steps'],
  ])('counts %d as %s', (count, words) => {
    expect(counted(count, 'step')).toBe(words);
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [-1_234_567, '-1,234,567'],
    [1_234.5678, '1,234.5678'],
    [1e21, '1e+21'],
  ])('groups %d as %s', (value, words) => {
    expect(grouped(value)).toBe(words);
  });

  it.each([
    [0, '$0'],
    [2, '$2'],
    [2.5, '$2.50'],
    [2.499, '$2.50'],
    [0.01, '$0.01'],
    [0.0042, '$0.0042'],
    [1_234.5, '$1,234.50'],
  ])('writes %d dollars as %s', (amount, words) => {
    expect(dollars(amount)).toBe(words);
  });

  it.each([
    [0, '0 ms'],
    [450, '450 ms'],
    [999.6, '1 s'],
    [12_500, '12.5 s'],
    [59_949, '59.9 s'],
    [59_999, '1 min'],
    [200_000, '3 min 20 s'],
    [3_599_900, '1 h'],
    [7_500_000, '2 h 5 min'],
    [360_000_000, '100 h'],
  ])('writes %d milliseconds as %s', (milliseconds, words) => {
    expect(duration(milliseconds)).toBe(words);
  });

  it.each([
    [0, '0%'],
    [0.8, '80%'],
    [0.333, '33.3%'],
    [1, '100%'],
  ])('writes the ratio %d as %s', (ratio, words) => {
    expect(percent(ratio)).toBe(words);
  });

  it.each([
    [[], 'none'],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b and c'],
    [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
  ])('lists %j as %s', (items, words) => {
    expect(listed(items)).toBe(words);
  });

  it('leaves the end of a sentence off where there is nothing to say', () => {
    expect(colonList([])).toBe('');
    expect(colonList(['a', 'b'])).toBe(': a and b');
    expect(colonText(undefined)).toBe('');
    expect(colonText(' \n')).toBe('');
    expect(colonText('because.')).toBe(': because');
  });

  it.each([
    ['plain', 'plain'],
    [' two\r\n lines\t here. ', 'two lines here'],
    ['bell\u0007 and escape\u001b[0m', 'bell and escape [0m'],
    ['line\u2028separator\u0085next', 'line separator next'],
  ])('puts %j on one line', (text, words) => {
    expect(inline(text)).toBe(words);
  });

  it('shortens what would make a sentence unreadable', () => {
    expect(inline('word '.repeat(100), 12)).toBe('word word wo…');
  });

  it.each([
    ['Done', 'Done.'],
    ['Done.', 'Done.'],
    ['Really?', 'Really?'],
    ['Skipped: why not?.', 'Skipped: why not?'],
    ['Stop!\n', 'Stop!'],
  ])('closes %j as a sentence', (text, words) => {
    expect(sentence(text)).toBe(words);
  });

  it('marks how much of a text is cut', () => {
    expect(cutText('short', 5)).toBe('short');
    expect(cutText('x'.repeat(2_000), 3)).toBe('xxx… [cut: 1,997 more characters]');
  });

  it('never splits a character in two', () => {
    expect(head('a😀b', 2)).toBe('a');
    expect(head('a😀b', 3)).toBe('a😀');
    expect(cutText('😀😀', 1)).toBe('… [cut: 4 more characters]');
  });
});
