import { generateText, stepCountIs, ToolLoopAgent } from 'ai';
import { defineAgent, runAgent } from '../../../packages/fullstop/src/index.js';
import { after, done, type PortingTable, type Scene } from '../porting-row.js';

/** The prompt that the model was shown first, as role and text. */
function shown({ calls }: Scene): readonly (readonly [string, string])[] {
  return (calls[0]?.prompt ?? []).map(({ role, content }) => {
    const parts: readonly { readonly text?: string }[] = typeof content === 'string' ? [] : (content as never);
    return [role, typeof content === 'string' ? content : parts.map(({ text = '' }) => text).join('')] as const;
  });
}

const turns = [
  { role: 'user', content: 'Hello' },
  { role: 'assistant', content: 'Hello!' },
  { role: 'user', content: 'And now?' },
] as const;

/** The input of an agent. */
export const inputRows: PortingTable = {
  title: 'Model and prompt',
  rows: [
    {
      six: ['model'],
      ours: 'model',
      note: 'The same object. `fallbackModels` come after it; `loadModel("openai/gpt-5")` loads one by name.',
      proof: {
        answers: done,
        theirs: async ({ model }) => (await generateText({ model, prompt: 'go' })).text,
        ours: async ({ model }) => (await runAgent({ model, prompt: 'go' })).text,
        agree: 'done',
      },
    },
    {
      six: ['prompt'],
      ours: 'prompt',
      proof: {
        answers: done,
        theirs: async (scene) => await after(generateText({ model: scene.model, prompt: 'go' }), () => shown(scene)),
        ours: async (scene) => await after(runAgent({ model: scene.model, prompt: 'go' }), () => shown(scene)),
        agree: [['user', 'go']],
      },
    },
    {
      six: ['messages'],
      ours: 'prompt',
      note: 'A list of messages where a text could stand.',
      proof: {
        answers: done,
        theirs: async (scene) =>
          await after(generateText({ model: scene.model, messages: [...turns] }), () => shown(scene)),
        ours: async (scene) => await after(runAgent({ model: scene.model, prompt: turns }), () => shown(scene)),
        agree: turns.map(({ role, content }) => [role, content]),
      },
    },
    {
      six: ['system', 'instructions'],
      seven: ['instructions', 'system'],
      ours: 'instructions',
      proof: {
        answers: done,
        theirs: async (scene) =>
          await after(generateText({ model: scene.model, system: 'Be brief.', prompt: 'go' }), () => shown(scene)),
        ours: async (scene) =>
          await after(runAgent({ model: scene.model, instructions: 'Be brief.', prompt: 'go' }), () => shown(scene)),
        agree: [
          ['system', 'Be brief.'],
          ['user', 'go'],
        ],
      },
    },
    {
      six: ['allowSystemInMessages'],
      ours: 'prompt',
      note: 'A system message in `prompt` is passed on as it is: messages of users are for the application to filter.',
      proof: {
        answers: done,
        theirs: async (scene) =>
          await after(
            generateText({
              model: scene.model,
              allowSystemInMessages: true,
              messages: [
                { role: 'system', content: 'Be brief.' },
                { role: 'user', content: 'go' },
              ],
            }),
            () => shown(scene),
          ),
        ours: async (scene) =>
          await after(
            runAgent({
              model: scene.model,
              prompt: [
                { role: 'system', content: 'Be brief.' },
                { role: 'user', content: 'go' },
              ],
            }),
            () => shown(scene),
          ),
        agree: [
          ['system', 'Be brief.'],
          ['user', 'go'],
        ],
      },
    },
    {
      six: ['new ToolLoopAgent({ … }).generate({ prompt })'],
      ours: 'defineAgent({ … }).run(prompt)',
      note: 'The usual limit is 20 steps there and 50 iterations here.',
      proof: {
        answers: done,
        theirs: async ({ model }) => {
          const agent = new ToolLoopAgent({ model, stopWhen: stepCountIs(3) });
          return (await agent.generate({ prompt: 'go' })).text;
        },
        ours: async ({ model }) => (await defineAgent({ model }).run('go')).text,
        agree: 'done',
      },
    },
    {
      six: ['id'],
      ours: 'name',
      note: 'Workers and resumes find the definition by it.',
      proof: {
        answers: done,
        theirs: async ({ model }) => new ToolLoopAgent({ id: 'helper', model }).id,
        ours: async ({ model }) => (await defineAgent({ name: 'helper', model }).run('go')).name,
        agree: 'helper',
      },
    },
    {
      six: ['experimental_download'],
      note: 'A file by URL goes to the model as it is; download it before the run where the provider cannot, so that a replay needs no network.',
    },
    {
      six: ['callOptionsSchema', 'prepareCall'],
      note: 'An agent is defined by a function of your own that takes the options and calls `defineAgent`; what differs from call to call goes into `run(input, options)`.',
    },
  ],
};
