import { expect, it } from 'vitest';
import { callModel } from '../models/calls/call-model.js';
import { parseScript, scriptedModel } from './scripted-model.js';

/** The script of the documentation, as a YAML parser returns it. */
const documented = {
  answers: {
    planner: [
      { text: 'Here is the plan' },
      { output: { score: 7, ready: true } },
      {
        toolCalls: [{ tool: 'search', input: { q: 'x' } }],
        usage: { inputTokens: 900, outputTokens: 40 },
        delay: '1ms',
      },
      { error: { status: 429, retryAfter: '2s' } },
    ],
  },
  exhausted: 'error',
};

it('plays the documented script', async () => {
  const model = scriptedModel(parseScript(documented));
  const ask = () => callModel(model, { messages: [{ role: 'user', content: 'go' }], agent: 'planner' });
  expect((await ask()).text).toBe('Here is the plan');
  expect(JSON.parse((await ask()).text)).toEqual({ score: 7, ready: true });
  expect(await ask()).toMatchObject({ toolCalls: [{ tool: 'search' }], usage: { inputTokens: 900, outputTokens: 40 } });
  await expect(ask()).rejects.toMatchObject({ statusCode: 429, responseHeaders: { 'retry-after': '2' } });
  await expect(ask()).rejects.toThrow('no answer');
});
