import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deterministicId } from './deterministic-id.js';

const words = fc.array(fc.oneof(fc.string(), fc.nat()), { minLength: 1, maxLength: 4 });

describe('deterministicId', () => {
  test('is a UUID of version 8, the same for the same words', () => {
    fc.assert(
      fc.property(words, (given) => {
        const id = deterministicId(...given);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(deterministicId(...given)).toBe(id);
      }),
    );
  });

  test('differs for a hundred thousand draws of a run', () => {
    const ids = new Set<string>();
    for (const scope of ['', 'a', 'a/b', 'unit#2'])
      for (let draw = 0; draw < 25_000; draw += 1) ids.add(deterministicId('run', scope, draw));
    expect(ids.size).toBe(100_000);
  });
});
