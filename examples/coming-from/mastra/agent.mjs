import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

const execute = async () => 'still loading';
const open = createTool({ id: 'open', description: 'open', inputSchema: z.object({}), execute });
const page = { toolCalls: [{ tool: 'open', input: {} }] };

export function makeAgent() {
  const model = scriptedModel(Array.from({ length: 9 }, () => page));
  return new Agent({ id: 'reader', name: 'reader', instructions: 'Read.', model, tools: { open } });
}
