import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { defineAgent } from './define-agent.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/** Runs an agent whose tool returns many small objects. */
async function runWithLargeResult(): Promise<object> {
  const agent = defineAgent({
    model: scriptedModel([{ toolCalls: [{ tool: 'list', input: {} }] }, { text: 'done' }]),
    tools: { list: { execute: () => Array.from({ length: 2000 }, (_, row) => ({ row })) } },
    stopWhen: [maxIterations(3)],
  });
  const result = await agent.run('go');
  expect(result.termination.kind).toBe('natural_end');
  return result;
}

/** The memory that is left of runs by collections of young objects alone. */
async function memoryAfterRuns(keep: (result: object) => void): Promise<number> {
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let run = 0; run < 200; run += 1) {
    keep(await runWithLargeResult());
  }
  await new Promise((resolve) => setImmediate(resolve));
  // Objects that survive two of them are old.
  for (let round = 0; round < 2; round += 1) collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}

it('leave nothing that only a full collection finds', async () => {
  const results: object[] = [];
  const keep = (result: object): number => results.push(result);
  const ignore = (): void => undefined;
  // Maps that belong to nobody are old and large enough then.
  await memoryAfterRuns(ignore);
  const left = await memoryAfterRuns(ignore);
  const kept = await memoryAfterRuns(keep);
  expect(left).toBeLessThan(kept / 4);
});
