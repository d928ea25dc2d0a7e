import { expect, it } from 'vitest';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { createSecrets } from '../run/secrets/secrets.js';
import { defineAgent } from './define-agent.js';
import { agentAsTool } from './tools/agent-as-tool.js';

const value = 'sk-live-0123456789';
const secrets = createSecrets({ API_KEY: value });

it('messages of a result hold placeholders, also in the instructions, while the model is asked with the values', async () => {
  const asked: string[] = [];
  const model = scriptedModel([{ text: `it is ${value}` }], {
    onCall: ({ options }) => void asked.push(JSON.stringify(options.prompt)),
  });
  const engine = memoryEngine();
  const agent = defineAgent({ name: 'a', model, secrets, instructions: `Use ${value}.` });
  const result = await agent.run(`Ask with ${value}`, { engine, runId: 'r' });
  expect(result.termination.kind).toBe('natural_end');
  expect(asked[0]?.split(value)).toHaveLength(3);
  expect(result.messages[0]).toEqual({ role: 'system', content: 'Use {{secret:API_KEY}}.' });
  expect(JSON.stringify(result)).not.toContain(value);
  const read = await agent.result('r', { engine });
  expect(JSON.stringify(read?.messages)).not.toContain(value);
});

it('secrets of an agent that is a tool are kept out of the messages of its parent, and reach the model', async () => {
  const asked: string[] = [];
  const inner = defineAgent({ name: 'inner', model: scriptedModel([{ text: 'done' }]), secrets });
  const model = scriptedModel([{ text: 'end' }], {
    onCall: ({ options }) => void asked.push(JSON.stringify(options.prompt)),
  });
  const outer = defineAgent({
    name: 'outer',
    model,
    instructions: `Use ${value}.`,
    tools: { inner: agentAsTool(inner, { description: 'does it' }) },
  });
  const result = await outer.run('go');
  expect(asked[0]).toContain(value);
  expect(JSON.stringify(result)).not.toContain(value);
});
