import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeFactRef, parseFactRef } from '../facts/fact-ref.js';
import {
  makeCycleKey,
  makeGateId,
  makeSuggestorKey,
  parseCycleKey,
  parseGateId,
  parseSuggestorKey,
} from './convergence-key.js';

const count = fc.integer({ min: 0, max: 300 });
const id = fc.string({ unit: fc.constantFrom('a', '1', ':', '.', '@', '#', '+', '-', '/', '~'), minLength: 1 });
const key = fc.string({ unit: fc.constantFrom('a', 'B', '1', '_', '.', '-'), minLength: 1 });

describe('keys of a convergence', () => {
  test('of cycles are read as they were made', () => {
    fc.assert(fc.property(count, (cycle) => void expect(parseCycleKey(makeCycleKey(cycle))).toBe(cycle)));
    expect(['cycle', 'cycle x', 'cycle 1 2', 'my cycle 1'].map(parseCycleKey)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('of suggestors are read as they were made', () => {
    const made = fc.record({ cycle: count, suggestor: id });
    fc.assert(fc.property(made, (each) => void expect(parseSuggestorKey(makeSuggestorKey(each))).toEqual(each)));
    expect(parseSuggestorKey('researcher')).toBeUndefined();
  });

  test('ids of gates are read as they were made, also where a fact is called like one', () => {
    const made = fc.record({ ref: id, cycle: count, level: count, reopened: count });
    fc.assert(fc.property(made, (each) => void expect(parseGateId(makeGateId(each))).toEqual(each)));
    expect(makeGateId({ ref: 'decision/a', cycle: 3, level: 0, reopened: 0 })).toBe('decision/a@3');
    expect(makeGateId({ ref: 'decision/a', cycle: 3, level: 1, reopened: 2 })).toBe('decision/a@3~1+2');
    expect(parseGateId('decision/a')).toBeUndefined();
  });

  test('references to facts are read as they were made', () => {
    fc.assert(
      fc.property(key, id, (of, own) => void expect(parseFactRef(makeFactRef(of, own))).toEqual({ key: of, id: own })),
    );
    expect(parseFactRef('decision')).toBeUndefined();
  });
});
