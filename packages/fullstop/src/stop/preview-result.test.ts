import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../termination/json.js';
import { previewResult } from './preview-result.js';

describe('previewResult', () => {
  it('shows a small result whole', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), (value) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        fc.pre(text.length <= 200);
        expect(previewResult(JSON.parse(JSON.stringify(value)) as JsonValue)).toBe(text);
      }),
    );
  });

  it('shows the beginning of a large one', () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    expect(previewResult(rows)).toMatch(/^\[\{"index":0\},\{"index":1\},/);
    expect(previewResult(rows).length).toBeLessThan(300);
    expect(previewResult('x'.repeat(1_000_000)).length).toBeLessThan(300);
  });
});
