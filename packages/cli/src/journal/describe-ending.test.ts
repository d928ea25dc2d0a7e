import type { AnyTermination } from 'fullstop';
import { describe, expect, it } from 'vitest';
import { categoryOf, describeEnding } from './describe-ending.js';

const unknown = { kind: 'app.reconciled', findings: 3 } as unknown as AnyTermination;
const around: AnyTermination = {
  kind: 'child_failed',
  child: { name: 'books', path: 'books#1' },
  termination: unknown,
};

describe('an ending of a kind that only its own program knows', () => {
  it('is shown with its evidence, and has no category', () => {
    expect(describeEnding(unknown)).toBe('Ended as app.reconciled: findings = 3.');
    expect(categoryOf(unknown)).toBeUndefined();
  });

  it('is named where it is the cause of another, which has no category either', () => {
    expect(describeEnding(around)).toBe('books failed: Ended as app.reconciled, a kind that is not registered here.');
    expect(categoryOf(around)).toBeUndefined();
  });
});
