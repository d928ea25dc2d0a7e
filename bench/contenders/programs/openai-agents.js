import { execute, makeScript } from './scene.js';

/** `run` of the OpenAI Agents SDK, with tracing off. */
export async function make(load) {
  const { z } = await load('zod');
  const { Agent, run, setTracingDisabled, tool } = await load('@openai/agents');
  setTracingDisabled(true);
  const step = tool({ name: 'step', description: 'Counts', parameters: z.object({ n: z.number() }), execute });
  return async (calls) => {
    const agent = new Agent({ name: 'counter', model: makeModel(calls), tools: [step] });
    return (await run(agent, 'go', { maxTurns: calls + 2 })).finalOutput;
  };
}

function makeModel(calls) {
  const next = makeScript(calls);
  return {
    async getResponse() {
      const call = next();
      const { input = 100, output = 10 } = call ?? {};
      return { usage: usageOf(input, output), output: [itemOf(call)], responseId: call?.id ?? 'last' };
    },
    getStreamedResponse() {
      throw new Error('nobody streams here');
    },
  };
}

function usageOf(inputTokens, outputTokens) {
  const totalTokens = inputTokens + outputTokens;
  return { requests: 1, inputTokens, outputTokens, totalTokens, inputTokensDetails: [], outputTokensDetails: [] };
}

function itemOf(call) {
  if (call === undefined) {
    const content = [{ type: 'output_text', text: 'done' }];
    return { type: 'message', role: 'assistant', status: 'completed', content };
  }
  const { id: callId, name, args } = call;
  return { type: 'function_call', callId, name, status: 'completed', arguments: JSON.stringify(args) };
}
