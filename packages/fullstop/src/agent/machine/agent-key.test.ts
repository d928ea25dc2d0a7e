import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isUnitName } from '../../run/journal/scope-path.js';
import {
  type CallKey,
  isAgentKey,
  isModelKey,
  makeCallKey,
  makeCallUnit,
  makeCountedKey,
  makeModelKey,
  makeRequestId,
  parseCallKey,
  parseCountedKey,
} from './agent-key.js';

const anyText = fc.string({ unit: fc.constantFrom('a', '1', ':', '.', '#', '~', '/', '%', ' ', '\n') });
const count = fc.integer({ min: 1, max: 1000 });
const effect = fc.constantFrom<CallKey['effect'][]>('ask', 'call', 'check', 'recheck', 'result', 'tool');

describe('keys of an agent', () => {
  test('that count are read as they were made', () => {
    const word = fc.constantFrom('model', 'compact', 'opening', 'judging_iteration', 'on_end');
    fc.assert(
      fc.property(word, count, (made, number) => {
        expect(parseCountedKey(makeCountedKey(made, number))).toEqual({ word: made, number });
      }),
    );
  });

  test('of calls are read as they were made, whatever the tool is called', () => {
    const key = fc.record({ effect, iteration: count, number: count, tool: anyText });
    fc.assert(fc.property(key, (made) => void expect(parseCallKey(makeCallKey(made))).toEqual(made)));
  });

  test('are not mistaken for one another', () => {
    expect(makeModelKey(3)).toBe('model:3');
    expect(isModelKey('model:3')).toBe(true);
    expect(['model', 'model:', 'model:x', 'model:1.1:search', 'my-model:3'].filter(isModelKey)).toEqual([]);
    expect(['model:1', 'compact:2', 'opening:0', 'judging_round:4'].every(isAgentKey)).toBe(true);
    expect(['tool:1', 'on_end:1', 'start', 'set:m'].some(isAgentKey)).toBe(false);
    expect(parseCallKey('tool:search')).toBeUndefined();
    expect(parseCountedKey('tool:1.1:search')).toBeUndefined();
  });

  test('of units are names that units may have, and differ with the ids of the calls', () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        const [one, other] = [makeCallUnit({ tool: 't', id: left }), makeCallUnit({ tool: 't', id: right })];
        expect(isUnitName(one)).toBe(true);
        expect(one === other).toBe(left === right);
      }),
    );
  });

  test('of requests say how often the same was asked', () => {
    expect(makeRequestId('', 'call-1', 1)).toBe('call-1');
    expect(makeRequestId('a/b', 'call-1', 2)).toBe('a/b/call-1#2');
  });
});
