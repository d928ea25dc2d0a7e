import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { loadWorkflow } from './load-workflow.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

const text = `
workflow: {name: counting, entry_point: count, input: {steps: {type: number}}}
agents:
  - name: count
    type: set
    values: {n: "{{ (count.output.n if count is defined else 0) + 1 }}"}
    routes: [{to: count, when: "n < workflow.input.steps"}, {to: $end}]
`;

it('a finished workflow leaves little that only a full collection finds', async () => {
  const workflow = loadWorkflow('counting.yaml', { text });
  const results: object[] = [];
  const memoryAfterRuns = async (keep: (result: object) => void): Promise<number> => {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 100; count += 1) keep(await workflow.run({ steps: 40 }, { maxIterations: 50 }));
    // Objects that survive two of them are old.
    for (let round = 0; round < 2; round += 1) collect({ type: 'minor' });
    return process.memoryUsage().heapUsed - before;
  };
  const ignore = (): void => undefined;
  await memoryAfterRuns(ignore);
  const kept = await memoryAfterRuns((result) => results.push(result));
  expect(results).toHaveLength(100);
  // A collection in the middle of a run promotes that run, and other things happen in this process: the least that was left is what counts.
  let left = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 5 && left >= kept / 2; tries += 1) left = Math.min(left, await memoryAfterRuns(ignore));
  expect(left).toBeLessThan(kept / 2);
});
