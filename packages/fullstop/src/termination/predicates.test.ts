import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from './any-termination.fixture.js';
import { category, family } from './classify.js';
import { categories, type Ending, families } from './ending.js';
import { isCategory, isFamily } from './predicates.js';
import { createRegistry } from './registry.js';
import { samples } from './samples.fixture.js';
import { reconciled, throttled } from './third-party.fixture.js';

const registry = createRegistry([reconciled, throttled]);
const thirdParty = fc.oneof(
  fc.nat().map((findings) => reconciled({ findings })),
  fc.boolean().map((banned) => throttled({ retryAfterMs: 1, banned })),
);
const anyEnding: fc.Arbitrary<Ending> = fc.oneof(arbitraryTermination, thirdParty);

describe('predicates', () => {
  it('by category are a partition: exactly one is true of any ending', () => {
    fc.assert(
      fc.property(anyEnding, (t) => {
        expect(categories.filter((name) => isCategory(t, name, registry))).toEqual([category(t, registry)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('by family are a partition: exactly one is true of any ending', () => {
    fc.assert(
      fc.property(anyEnding, (t) => {
        expect(families.filter((name) => isFamily(t, name, registry))).toEqual([family(t, registry)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('take the evidence of kinds with several categories into account', () => {
    const external = { ...samples.failed, errorClass: 'external' } as const;
    expect([samples.failed, external].filter((t) => isCategory(t, 'retryable'))).toEqual([external]);
    expect([samples.failed, external].filter((t) => isCategory(t, 'fatal'))).toEqual([samples.failed]);
  });

  it('work as filters without a registry for built-in kinds', () => {
    const limits = Object.values(samples).filter((t) => isFamily(t, 'limit'));
    expect(limits.map((t) => t.kind)).toEqual([
      'max_iterations',
      'max_tool_calls',
      'time_budget',
      'token_budget',
      'cost_budget',
      'cycle_budget',
      'fact_budget',
      'budget_pressure',
    ]);
  });

  it('take a third-party kind that is not registered for one that an operator has to look at', () => {
    const unknown: Ending = reconciled({ findings: 1 });
    expect(isCategory(unknown, 'success')).toBe(false);
    expect(isCategory(unknown, 'fatal')).toBe(true);
    expect(isFamily(unknown, 'completion')).toBe(false);
    expect(isFamily(unknown, 'extension')).toBe(true);
  });
});
