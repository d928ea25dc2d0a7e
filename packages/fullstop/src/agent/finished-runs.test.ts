import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { finishedRunsOf } from '../run/measure-finished-runs.fixture.js';

const program = fileURLToPath(new URL('./finished-runs.fixture.ts', import.meta.url));

it('a finished run leaves nothing that only a full collection finds, with and without a stream', async () => {
  const measured = await finishedRunsOf(program);
  expect(Object.keys(measured)).toEqual(['run by itself', 'followed by a stream']);
  for (const [way, { left, kept }] of Object.entries(measured)) expect(left, way).toBeLessThan(kept / 4);
});
