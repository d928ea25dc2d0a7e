import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../termination/json.js';
import { previewResult, previewText } from './preview-result.js';

describe('previewResult', () => {
  it('shows a small result whole', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), (value) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        fc.pre(text.length <= 200);
        expect(previewText(previewResult(JSON.parse(JSON.stringify(value)) as JsonValue))).toBe(text);
      }),
    );
  });

  it('shows the beginning of a large one', () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    expect(previewResult(rows)).toMatch(/^\[\{"index":0\},\{"index":1\},/);
    expect(previewText(previewResult(rows)).length).toBeLessThan(300);
    expect(previewText(previewResult('x'.repeat(1_000_000))).length).toBeLessThan(300);
  });

  it('keeps no more of a result than it shows', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const preview = previewResult(JSON.parse(JSON.stringify(value)) as JsonValue);
        const shown = previewText(preview);
        expect(JSON.stringify(preview).length).toBeLessThan(700);
        expect(shown.length).toBeLessThan(300);
      }),
    );
  });
});
