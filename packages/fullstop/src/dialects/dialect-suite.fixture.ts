import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryTermination } from '../termination/any-termination.fixture.js';
import type { JsonValue } from '../termination/json.js';
import { valueAt } from '../termination/value-at.js';
import type { Dialect, ForeignTermination } from './dialect.js';
import { differences } from './differences.js';

/** One recorded value of a vocabulary, and what it means here. */
export interface Golden {
  readonly value: JsonValue;
  readonly termination: ForeignTermination;
  readonly unknown: readonly string[];
  /** The value that is written for the same meaning, where that is not the value itself. */
  readonly canonical?: JsonValue;
  /** The parts that writing it again does not keep, where the value is of another generation of the vocabulary. */
  readonly lost?: readonly string[];
}

/** The tests that every dialect must pass; a new one is done when it passes with a golden value for each of its words. */
export function describeDialect<TValue extends JsonValue>(dialect: Dialect<TValue>, goldens: readonly Golden[]): void {
  describe(`${dialect.title} dialect`, () => {
    it.each(goldens.map((golden) => [JSON.stringify(golden.value), golden] as const))('reads %s', (_, golden) => {
      expect(dialect.decode(golden.value)).toEqual({ termination: golden.termination, unknown: golden.unknown });
    });

    it.each(goldens.map((golden) => [JSON.stringify(golden.value), golden] as const))('writes back %s', (_, golden) => {
      const written = dialect.encode(dialect.decode(golden.value).termination);
      expect(written.value).toEqual(golden.canonical ?? golden.value);
      expect(written.lost).toEqual(golden.lost ?? []);
    });

    it('has a golden value for every word', () => {
      const read = goldens.map((golden) => dialect.decode(golden.value).termination);
      for (const word of dialect.words) {
        const covered = read.some((t) => t.kind === word.kind && differences(word.implied, t).length === 0);
        expect(covered, word.word).toBe(true);
      }
    });

    it('returns every termination except for what it reports as lost', () => {
      fc.assert(
        fc.property(arbitraryTermination, (termination) => {
          const { value, fidelity, lost } = dialect.encode(termination);
          if (fidelity === 'none') {
            expect(lost).toContain('kind');
            return;
          }
          const back = dialect.decode(value).termination;
          expect(back.kind).toBe(termination.kind);
          expect(differences(termination, back)).toEqual(lost);
          expect(fidelity).toBe(lost.length === 0 ? 'full' : 'word');
          // Written again it is the same: nothing was invented on the way.
          expect(dialect.encode(back).value).toEqual(value);
        }),
        { numRuns: 500 },
      );
    });

    it('names as unknown exactly the required fields that a reading lacks', () => {
      for (const golden of goldens) {
        const { termination, unknown } = dialect.decode(golden.value);
        for (const path of unknown) expect(valueAt(termination, path)).toBeUndefined();
      }
    });

    it.each([undefined, null, 0, [], {}, 'no such word', { no: 'such word' }])(
      'refuses %j, which is no ending',
      (value) => {
        expect(() => dialect.decode(value)).toThrow(expect.objectContaining({ code: 'UNKNOWN_WORD' }));
      },
    );
  });
}
