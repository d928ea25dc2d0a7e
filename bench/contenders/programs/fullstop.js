import { execute, makeModel } from './scene.js';
import { openStore } from './store.js';

/** An agent with a limit of iterations; `detectors` adds every detector, `sqlite` makes each step durable, `stream` reads its text as it comes. */
export async function make(load, variant) {
  const { z } = await load('zod');
  const fullstop = await load('fullstop');
  const engine = await openStore(load, variant);
  const inputSchema = z.object({ n: z.number() });
  return async (calls) => {
    const agent = fullstop.defineAgent({
      model: makeModel('v3', calls),
      tools: { step: { description: 'Counts', inputSchema, execute } },
      stopWhen: conditionsOf(fullstop, variant, calls),
    });
    const { termination, text } = await (variant === 'stream' ? streamed(agent) : agent.run('go', { engine }));
    return termination.kind === 'natural_end' ? text : termination.kind;
  };
}

function conditionsOf(fullstop, variant, calls) {
  if (variant !== 'detectors') return [fullstop.maxIterations(calls + 2)];
  const { consecutiveErrors, consecutiveMistakes, loopDetection, maxIterations, maxToolCalls } = fullstop;
  return [
    maxIterations(calls + 2),
    maxToolCalls(calls + 2),
    fullstop.tokenBudget({ total: 1_000_000_000 }),
    loopDetection(),
    fullstop.stallDetection(),
    fullstop.noProgress(3),
    consecutiveErrors(3),
    consecutiveMistakes(3),
  ];
}

async function streamed(agent) {
  const stream = agent.stream('go');
  let text = '';
  for await (const delta of stream.deltas()) if (delta.type === 'text') text += delta.text;
  const { termination } = await stream.result;
  return { termination, text };
}
