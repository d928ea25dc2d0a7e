import { clientTool, defineAgent, memoryEngine, toolError, toolResult } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

// No execute: the user's browser performs it. An AI SDK tool() without execute works the same way.
const location = {
  description: 'Where the user is',
  inputSchema: z.object({ exact: z.boolean() }),
  outputSchema: z.object({ city: z.string() }),
};
const photo = { description: 'Takes a picture', inputSchema: z.object({}) };
const weather = { description: 'Reports the weather', execute: () => '21 degrees' };

const guide = defineAgent({
  name: 'guide',
  model: scriptedModel([
    {
      toolCalls: [
        { tool: 'location', input: { exact: false }, id: 'call_1' },
        { tool: 'weather', input: {}, id: 'call_2' },
        { tool: 'photo', input: {}, id: 'call_3' },
      ],
    },
    { text: 'It is 21 degrees in Oslo.' },
  ]),
  // The browser may be closed: after ten minutes the model learns that no picture was taken.
  tools: { location, weather, photo: clientTool(photo, { deadline: '10m', onExpiry: 'reject' }) },
});

const engine = memoryEngine();
const paused = await guide.run('What is it like here?', { engine, runId: 'guide-1' });
if (paused.termination.kind === 'interaction_pending') {
  for (const { id, type, tool, input } of paused.termination.requests) console.log(id, type, tool, input);
}

// Whoever performed the calls answers by call id, immediately or days later, in any process.
const answers = { call_1: toolResult({ city: 'Oslo' }, { by: 'browser' }), call_3: toolError('no camera') };
const ended = await guide.resume('guide-1', { engine, answers });
for (const { tool, output } of ended.toolCalls) console.log(tool, output);
console.log(ended.termination, ended.text);
