import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packTransitions, unpackTransitions } from './packed-transitions.js';

describe('packTransitions', () => {
  it('loses nothing of any transitions', () => {
    const transition = fc.record(
      {
        seq: fc.nat(),
        at: fc.integer({ min: 0, max: 2 ** 45 }),
        path: fc.string(),
        to: fc.constantFrom('running' as const, 'waiting' as const, 'ended' as const),
        kind: fc.string(),
        category: fc.constantFrom('success' as const, 'fatal' as const),
      },
      { requiredKeys: ['seq', 'at', 'path', 'to'] },
    );
    fc.assert(
      fc.property(fc.array(transition), (transitions) => {
        const packed = JSON.parse(JSON.stringify(packTransitions(transitions)));
        expect(unpackTransitions(packed)).toEqual(transitions);
      }),
    );
  });
});
