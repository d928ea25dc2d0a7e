import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from './any-termination.fixture.js';
import { createRegistry } from './registry.js';
import { samples } from './samples.fixture.js';
import { allKinds } from './table.js';
import { mostCustomTags, tagOf } from './tag-of.js';
import { reconciled, throttled } from './third-party.fixture.js';

describe('tagOf', () => {
  it('is the kind of a built-in termination', () => {
    for (const kind of allKinds()) expect(tagOf(samples[kind])).toBe(kind);
  });

  it('is one of a bounded set of words, whatever tags custom endings carry', () => {
    const customTags = ['chat_closed', 'out_of_stock'];
    const words = new Set<string>([...allKinds(), ...customTags]);
    fc.assert(
      fc.property(arbitraryTermination, (t) => {
        expect(words).toContain(tagOf(t, { customTags }));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the own tag of a custom ending if the run declares it', () => {
    expect(tagOf(samples.custom, { customTags: ['other', 'chat_closed'] })).toBe('chat_closed');
  });

  it('is custom when the tag is not declared, or absent', () => {
    expect(tagOf(samples.custom)).toBe('custom');
    expect(tagOf(samples.custom, { customTags: ['other'] })).toBe('custom');
    const { tag: _tag, ...untagged } = samples.custom;
    expect(tagOf(untagged, { customTags: ['chat_closed'] })).toBe('custom');
  });

  it('counts only the first fifty declared tags', () => {
    const customTags = Array.from({ length: 60 }, (_, index) => `tag-${index}`);
    const tags = customTags.map((tag) => tagOf({ ...samples.custom, tag }, { customTags }));
    expect(tags.slice(0, mostCustomTags)).toEqual(customTags.slice(0, 50));
    expect(new Set(tags.slice(mostCustomTags))).toEqual(new Set(['custom']));
  });

  it('is the tag that a third party declared, or else its kind', () => {
    const registry = createRegistry([reconciled, throttled]);
    expect(tagOf(reconciled({ findings: 1 }), { registry })).toBe('reconciled');
    expect(tagOf(throttled({ retryAfterMs: 1 }), { registry })).toBe('gateway.throttled');
    expect(tagOf(reconciled({ findings: 1 }))).toBe('billing.reconciled');
  });

  it('is the kind of a child_failed, not of its cause', () => {
    expect(tagOf(samples.child_failed)).toBe('child_failed');
  });
});
