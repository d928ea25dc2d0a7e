import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { defineConvergence } from '../convergence/define-convergence.js';
import { suggestor } from '../convergence/options/suggestor.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { delegateEngine } from '../engines/port/delegate-engine.js';
import type { Engine } from '../engines/port/engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { workflowFrom } from '../workflow/workflow.fixture.js';

interface Place {
  readonly runId: string;
  readonly engine: Engine;
}

/** A run that ends at a limit of 1, and at whatever limit it is resumed with. */
interface Looping {
  start(place: Place): Promise<unknown>;
  resume(place: Place & { readonly by: string }, limit: number): Promise<unknown>;
}

function searcher() {
  const model = scriptedModel([{ toolCalls: [{ tool: 'find', input: {} }] }], { exhausted: 'repeat-last' });
  return defineAgent({ name: 'a', model, tools: { find: { execute: () => 'x' } }, stopWhen: [maxIterations(1)] });
}

const agent = searcher();
const flow = pipeline('p').stage(
  'work',
  using(searcher(), () => 'go'),
);
const counting = suggestor('counting', {
  dependsOn: [],
  accepts: () => true,
  execute: ({ facts, propose }) => propose('count', { n: facts.size }),
});
const convergence = defineConvergence({ name: 'c', suggestors: [counting], budgets: { cycles: 1 } });
const workflow = workflowFrom(`
workflow: {name: w, entry_point: a, limits: {max_iterations: 1}}
agents: [{name: a, type: set, value: one, routes: [{to: a}]}]
`);

const bodies: Readonly<Record<string, Looping>> = {
  agent: {
    start: (place) => agent.run('go', place),
    resume: ({ runId, ...rest }, limit) => agent.resume(runId, { ...rest, stopWhen: [maxIterations(limit)] }),
  },
  pipeline: {
    start: (place) => flow.run(undefined, place),
    resume: ({ runId, ...rest }, limit) => flow.resume(runId, { ...rest, stopWhen: [maxIterations(limit)] }),
  },
  convergence: {
    start: (place) => convergence.run({}, place),
    resume: ({ runId, ...rest }, limit) => convergence.resume(runId, { ...rest, budgets: { cycles: limit } }),
  },
  workflow: {
    start: (place) => workflow.run({}, place),
    resume: ({ runId, ...rest }, limit) => workflow.resume(runId, { ...rest, maxIterations: limit }),
  },
};

/** An engine on which something happens between the first look at an ending and all that follows from it. */
function overtakenOn(engine: Engine, other: () => Promise<unknown>, isRunning: boolean): Engine {
  let isFirst = true;
  return {
    ...delegateEngine(engine),
    ending: async (runId) => {
      const ending = await engine.ending(runId);
      if (!isFirst) return ending;
      isFirst = false;
      await other();
      return isRunning ? undefined : ending;
    },
  };
}

describe('a resume that another one overtakes', () => {
  it.each(
    Object.entries(bodies).flatMap(([name, body]) => [
      { name, body, isRunning: false },
      { name, body, isRunning: true },
    ]),
  )('is refused with the winner: $name (running when it looked: $isRunning)', async ({ body, isRunning }) => {
    const engine = memoryEngine();
    const runId = 'r';
    await body.start({ runId, engine });
    const overtaken = overtakenOn(engine, () => body.resume({ runId, engine, by: 'ada' }, 2), isRunning);
    await expect(body.resume({ runId, engine: overtaken, by: 'bob' }, 3)).rejects.toMatchObject({
      code: 'RESUME_CONFLICT',
      message: expect.stringContaining('was resumed by ada'),
      details: { runId, segment: 2, category: 'capacity' },
    });
    expect(await engine.journal(runId, { types: ['segment_opened'] })).toHaveLength(1);
  });
});
