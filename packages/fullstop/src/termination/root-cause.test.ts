import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from './any-termination.fixture.js';
import { causeChainOf, circularCause } from './cause-chain.fixture.js';
import { causeChain, rootCause } from './root-cause.js';
import { samples } from './samples.fixture.js';

describe('rootCause', () => {
  it('is the ending itself unless a child failed', () => {
    fc.assert(
      fc.property(arbitraryTermination, (t) => {
        fc.pre(t.kind !== 'child_failed');
        expect(rootCause(t)).toBe(t);
      }),
    );
  });

  it.each([1, 2, 10, 10_000])('is found below %i levels', (levels) => {
    expect(rootCause(causeChainOf(levels, samples.no_route))).toBe(samples.no_route);
    expect(causeChain(causeChainOf(levels, samples.no_route))).toHaveLength(levels);
  });

  it('does not look into what cancelled a child', () => {
    expect(rootCause(causeChainOf(2, samples.cancelled))).toBe(samples.cancelled);
  });

  it('ends in a chain that is a circle', () => {
    const outer = circularCause();
    expect(rootCause(outer)).toBe(outer);
    expect(causeChain(outer).map((link) => link.child.name)).toEqual(['outer', 'inner']);
  });

  it('is the ending itself when what it should hold is missing', () => {
    const broken = { ...causeChainOf(1, samples.no_route), termination: null as never };
    expect(rootCause(broken)).toBe(broken);
    expect(causeChain(broken)).toEqual([]);
  });
});
