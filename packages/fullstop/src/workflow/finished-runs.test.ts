import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type FinishedRuns, finishedRunsOf } from '../run/measure-finished-runs.fixture.js';

const program = fileURLToPath(new URL('./finished-runs.fixture.ts', import.meta.url));

it('a finished workflow leaves little that only a full collection finds', async () => {
  const { left, kept } = (await finishedRunsOf(program))['counting'] as FinishedRuns;
  expect(left).toBeLessThan(kept / 2);
});
