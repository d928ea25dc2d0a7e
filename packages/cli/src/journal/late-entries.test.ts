import { describe, expect, it } from 'vitest';
import { lateEntries } from './late-entries.js';

const stored = { segment: 1, seq: 2, scope: 'a', ordinal: 0, at: 5, type: 'observed', key: 'observe', hash: 'h' };

describe('entries that parse their data late', () => {
  it('have it when it is asked for, and in JSON', () => {
    const entry = lateEntries('r')({ ...stored, data: '{"type":"route"}' });
    expect(entry.data).toEqual({ type: 'route' });
    expect(entry.data).toBe(entry.data);
    expect(JSON.parse(JSON.stringify(entry))).toEqual({ ...stored, runId: 'r', data: { type: 'route' } });
  });

  it('keep what somebody comes back to, and no more', () => {
    const late = lateEntries('r');
    const [first, other] = [late({ ...stored, data: '{"n":1}' }), late({ ...stored, data: '{"n":2}' })];
    const once = first.data;
    expect(other.data).toEqual({ n: 2 });
    const again = first.data;
    expect(again).toEqual(once);
    expect(again).not.toBe(once);
    expect(other.data).toEqual({ n: 2 });
    expect(first.data).toBe(again);
  });

  it('do not parse what nobody asks for', () => {
    const entry = lateEntries('r')({ ...stored, data: 'no JSON' });
    expect(entry.seq).toBe(2);
    expect(() => entry.data).toThrow(SyntaxError);
  });

  it('have no key where none is stored', () => {
    const entry = lateEntries('r')({ ...stored, key: null, data: 'null' });
    expect('key' in entry).toBe(false);
    expect(entry.data).toBeNull();
  });
});
