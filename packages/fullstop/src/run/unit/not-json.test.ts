import { expect, test } from 'vitest';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';

test.each([
  [{ m: new Map() }, 'm'],
  [{ a: [1n] }, 'a[0]'],
  [{ n: Number.NaN }, 'n'],
])('an event that is no JSON fails with the place of it (%#)', async (value, path) => {
  const run = defineRun({
    name: 'keeper',
    run: async (context) => {
      context.emit(value as never);
      return terminations.naturalEnd();
    },
  });
  const { termination } = await run.run(undefined, { engine: memoryEngine() });
  expect(termination).toMatchObject({ kind: 'failed', error: { code: 'NOT_JSON' } });
  expect(JSON.stringify(termination)).toContain(`but ${path} is`);
});
