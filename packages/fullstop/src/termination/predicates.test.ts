import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from './any-termination.fixture.js';
import { category, family } from './classify.js';
import { categories, type Ending, families } from './ending.js';
import * as predicates from './predicates.js';
import { createRegistry, type Registry } from './registry.js';
import { samples } from './samples.fixture.js';
import { reconciled, throttled } from './third-party.fixture.js';

type Predicate = (termination: Ending, registry?: Registry) => boolean;

const byCategory: Readonly<Record<string, Predicate>> = {
  success: predicates.isSuccess,
  paused: predicates.isPaused,
  cancelled: predicates.isCancelled,
  capacity: predicates.isCapacity,
  retryable: predicates.isRetryable,
  fatal: predicates.isFatal,
};

const byFamily: Readonly<Record<string, Predicate>> = {
  completion: predicates.isCompletion,
  limit: predicates.isLimit,
  detector: predicates.isDetector,
  human: predicates.isHuman,
  validation: predicates.isValidation,
  external: predicates.isExternal,
  error: predicates.isError,
  extension: predicates.isExtension,
};

const registry = createRegistry([reconciled, throttled]);
const thirdParty = fc.oneof(
  fc.nat().map((findings) => reconciled({ findings })),
  fc.boolean().map((banned) => throttled({ retryAfterMs: 1, banned })),
);
const anyEnding: fc.Arbitrary<Ending> = fc.oneof(arbitraryTermination, thirdParty);

function trueOnes(table: Readonly<Record<string, Predicate>>, termination: Ending): readonly string[] {
  return Object.keys(table).filter((name) => table[name]?.(termination, registry));
}

describe('predicates', () => {
  it('exist for every category and every family, and for nothing else', () => {
    expect(Object.keys(byCategory)).toEqual(categories);
    expect(Object.keys(byFamily)).toEqual(families);
    expect(Object.keys(predicates)).toHaveLength(categories.length + families.length);
  });

  it('by category are a partition: exactly one is true of any ending', () => {
    fc.assert(
      fc.property(anyEnding, (t) => {
        expect(trueOnes(byCategory, t)).toEqual([category(t, registry)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('by family are a partition: exactly one is true of any ending', () => {
    fc.assert(
      fc.property(anyEnding, (t) => {
        expect(trueOnes(byFamily, t)).toEqual([family(t, registry)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('take the evidence of kinds with several categories into account', () => {
    const external = { ...samples.failed, errorClass: 'external' } as const;
    expect([samples.failed, external].filter((t) => predicates.isRetryable(t))).toEqual([external]);
    expect([samples.failed, external].filter((t) => predicates.isFatal(t))).toEqual([samples.failed]);
  });

  it('work as filters without a registry for built-in kinds', () => {
    const limits = Object.values(samples).filter((t) => predicates.isLimit(t));
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

  it('refuse a third-party kind without its registry', () => {
    expect(() => predicates.isSuccess(reconciled({ findings: 1 }))).toThrow(
      expect.objectContaining({ code: 'UNREGISTERED_TERMINATION' }),
    );
  });
});
