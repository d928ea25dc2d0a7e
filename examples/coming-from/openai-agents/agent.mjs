import { Agent, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';

setTracingDisabled(true);
const usage = {
  requests: 1,
  inputTokens: 9,
  outputTokens: 1,
  totalTokens: 10,
  inputTokensDetails: [],
  outputTokensDetails: [],
};
const open = tool({
  name: 'open',
  description: 'open',
  parameters: z.object({}),
  execute: async () => 'still loading',
});

export function makeAgent() {
  let made = 0;
  const call = () => ({
    type: 'function_call',
    callId: `c${++made}`,
    name: 'open',
    status: 'completed',
    arguments: '{}',
  });
  const model = { getResponse: async () => ({ usage, output: [call()] }) };
  return new Agent({ name: 'reader', model, tools: [open] });
}
