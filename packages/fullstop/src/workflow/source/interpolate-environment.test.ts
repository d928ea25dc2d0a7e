// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts under test
import { describe, expect, it } from 'vitest';
import { interpolateEnvironment } from './interpolate-environment.js';

describe('interpolateEnvironment', () => {
  it.each([
    ['plain text', {}, 'plain text'],
    ['${A}', { A: 'one' }, 'one'],
    ['x ${A} y ${B:-two}', { A: 'one' }, 'x one y two'],
    ['${A:-}', {}, ''],
    ['${A:-fallback}', { A: '' }, ''],
    ['${A:-with: colon - and dash}', {}, 'with: colon - and dash'],
    ['${A}', { A: '${B}', B: 'deep' }, 'deep'],
    ['${A:x} ${B}', { B: 'b' }, '${A:x} b'],
    ['${}', {}, '${}'],
    ['${:-x}', {}, '${:-x}'],
    ['$A and ${', {}, '$A and ${'],
    ['${A B}', { 'A B': 'names may have blanks' }, 'names may have blanks'],
  ])('turns %j into the value', (text, env, expected) => {
    expect(interpolateEnvironment(text, env)).toBe(expected);
  });

  it('names a variable that is not set and has no default', () => {
    expect(interpolateEnvironment('${GONE}', {})).toEqual({ name: 'GONE', reason: 'missing' });
  });

  it('does not read what every object inherits', () => {
    expect(interpolateEnvironment('${constructor}', {})).toEqual({ name: 'constructor', reason: 'missing' });
  });

  it('gives up on variables that name themselves', () => {
    expect(interpolateEnvironment('${A}', { A: 'x${A}' })).toEqual({ name: 'A', reason: 'endless' });
  });

  it('gives up on variables that double each other before memory runs out', () => {
    const big = 'x'.repeat(100_000);
    expect(interpolateEnvironment('${A}', { A: '${B}'.repeat(1000), B: big })).toEqual({
      name: 'B',
      reason: 'too_long',
    });
  });

  it('takes linear time for marks that are never closed', () => {
    expect(interpolateEnvironment('${'.repeat(200_000), {})).toHaveLength(400_000);
    expect(interpolateEnvironment(`${'${a:b'.repeat(100_000)}}`, {})).toHaveLength(500_001);
  });
});
