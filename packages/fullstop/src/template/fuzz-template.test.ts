import { expect, it } from 'vitest';
import { fuzzTemplates } from './fuzz-template.fixture.js';

const count = Number(process.env['FULLSTOP_FUZZ_COUNT'] ?? 10_000);
const seed = Number(process.env['FULLSTOP_FUZZ_SEED'] ?? 1);

it(`renders or refuses ${count} random templates and conditions, always with a place`, {
  timeout: 300_000 + count * 10,
}, () => {
  const { failures, refused, rendered } = fuzzTemplates({ count, seed });
  expect(failures.slice(0, 3)).toEqual([]);
  expect(rendered + refused).toBe(count);
  expect(Math.min(rendered, refused)).toBeGreaterThan(count / 50);
});
