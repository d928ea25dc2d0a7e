import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { defineAgent } from './define-agent.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/** An agent whose tool returns many small objects. */
function makeAgent() {
  return defineAgent({
    model: scriptedModel([{ toolCalls: [{ tool: 'list', input: {} }] }, { text: 'done' }]),
    tools: { list: { execute: () => Array.from({ length: 1000 }, (_, row) => ({ row })) } },
    stopWhen: [maxIterations(3)],
  });
}

const ways = {
  'run by itself': () => makeAgent().run('go'),
  'followed by a stream': () => makeAgent().stream('go').result,
};

/** The memory that collections of young objects alone leave of runs. */
async function memoryAfterRuns(run: () => Promise<object>, keep: (result: object) => void): Promise<number> {
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 100; count += 1) keep(await run());
  await new Promise((resolve) => setImmediate(resolve));
  // Objects that survive two of them are old.
  for (let round = 0; round < 2; round += 1) collect({ type: 'minor' });
  return process.memoryUsage().heapUsed - before;
}

describe('a finished run', () => {
  it.each(Object.entries(ways))('that was %s leaves nothing that only a full collection finds', async (_, run) => {
    const results: object[] = [];
    const ignore = (): void => undefined;
    // Maps that belong to nobody are old and large enough then.
    await memoryAfterRuns(run, ignore);
    const kept = await memoryAfterRuns(run, (result) => results.push(result));
    expect(results).toHaveLength(100);
    // A collection in the middle of a run promotes that run, and other things happen in this process: the least that was left is what counts.
    let left = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 5 && left >= kept / 4; tries += 1)
      left = Math.min(left, await memoryAfterRuns(run, ignore));
    expect(left).toBeLessThan(kept / 4);
  });
});
