import { defineAgent } from 'fullstop';
import { scriptedModel } from 'fullstop/testing';
import { z } from 'zod';

const weather = {
  description: 'Reports the weather',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }: { city: string }) => `${city}: 21 degrees`,
};

const agent = defineAgent({
  name: 'forecaster',
  // The first attempt is cut off midway, as happens with real providers.
  model: scriptedModel([
    { toolCalls: [{ tool: 'weather', input: { city: 'Oslo' } }] },
    { text: 'It will be warm today, but', error: 'stream_cut' },
    { text: 'It is 21 degrees in Oslo.' },
  ]),
  tools: { weather },
  retry: { initialDelayMs: 1 },
});

const stream = agent.stream('How is the weather in Oslo?');

let shown = '';
for await (const delta of stream.deltas()) {
  if (delta.type === 'text') shown += delta.text;
  // The output of a failed attempt is discarded.
  if (delta.type === 'attempt_discarded') {
    console.log(`discarded attempt ${delta.attempt} of ${delta.key}, which had said something: ${shown !== ''}`);
    shown = '';
  }
}
console.log(shown);

// The journal by cursor: late or slow readers miss nothing.
for await (const { seq, type, key } of stream.events({ after: 4 })) {
  if (type !== 'observed') console.log(seq, type, key ?? '');
}

const { termination, usage } = await stream.result;
console.log(termination, usage.totalTokens > 0);
