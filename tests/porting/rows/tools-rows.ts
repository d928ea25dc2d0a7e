import { generateText, hasToolCall, stepCountIs, tool } from 'ai';
import { z } from 'zod';
import {
  maxIterations,
  requireApproval,
  runAgent,
  stopCondition,
  stopOnTool,
  terminations,
} from '../../../packages/fullstop/src/index.js';
import { after, oneCall, type PortingTable, type Scene } from '../porting-row.js';

const inputSchema = z.object({ a: z.number(), b: z.number() });
const add = tool({ description: 'Adds', inputSchema, execute: ({ a, b }) => a + b });
const acme = { tenant: 'acme' };
const twice = [...oneCall.slice(0, 1), ...oneCall];

function offered({ calls }: Scene): readonly string[] {
  return (calls[0]?.tools ?? []).map(({ name }) => name);
}

/** The results of tools that the model was shown in its last call. */
function results({ calls }: Scene): readonly unknown[] {
  return (calls.at(-1)?.prompt ?? []).flatMap(({ role, content }) =>
    role === 'tool' && Array.isArray(content) ? content.map((part) => (part as { output: unknown }).output) : [],
  );
}

/** Tools, and when the loop ends. */
export const toolsRows: PortingTable = {
  title: 'Tools and the loop',
  rows: [
    {
      six: ['tools'],
      ours: 'tools',
      note: 'Objects of `tool()` work as they are; so do plain ones.',
      proof: {
        answers: oneCall,
        theirs: async (scene) =>
          await after(
            generateText({ model: scene.model, prompt: 'go', tools: { add }, stopWhen: stepCountIs(5) }),
            () => results(scene),
          ),
        ours: async (scene) =>
          await after(runAgent({ model: scene.model, prompt: 'go', tools: { add } }), () => results(scene)),
        agree: [{ type: 'json', value: 5 }],
      },
    },
    {
      six: ['stopWhen: stepCountIs(n)'],
      seven: ['stopWhen: isStepCount(n)'],
      ours: 'stopWhen: [maxIterations(n)]',
      note: 'The default is one step there and 50 iterations here. That the limit was reached is the ending: `max_iterations` with limit and used.',
      proof: {
        answers: twice,
        theirs: async ({ model }) =>
          (await generateText({ model, prompt: 'go', tools: { add }, stopWhen: stepCountIs(2) })).steps.length,
        ours: async ({ model }) =>
          (await runAgent({ model, prompt: 'go', tools: { add }, stopWhen: [maxIterations(2)] })).iterations.length,
        agree: 2,
      },
    },
    {
      six: ['stopWhen: hasToolCall(name)'],
      ours: 'stopWhen: [stopOnTool(name)]',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          const { steps } = await generateText({ model, prompt: 'go', tools: { add }, stopWhen: hasToolCall('add') });
          return [steps.length, 'add'];
        },
        ours: async ({ model }) => {
          const stopWhen = [stopOnTool('add')];
          const { iterations, termination } = await runAgent({ model, prompt: 'go', tools: { add }, stopWhen });
          return [iterations.length, termination.kind === 'tool_called' && termination.tool];
        },
        agree: [1, 'add'],
      },
    },
    {
      six: ['stopWhen'],
      ours: 'stopWhen: [stopCondition(name, ask)]',
      note: 'A condition returns the termination instead of true, and its verdict is journalled. Others: `costBudget`, `tokenBudget`, `loopDetection`, `noProgress`, `stallDetection`, …',
      proof: {
        answers: twice,
        theirs: async ({ model }) => {
          const stopWhen = ({ steps }: { steps: readonly unknown[] }) => steps.length > 1;
          return (await generateText({ model, prompt: 'go', tools: { add }, stopWhen })).steps.length;
        },
        ours: async ({ model }) => {
          const enough = terminations.custom({ reason: 'enough', category: 'success' });
          const stopWhen = [stopCondition('enough', ({ toolCalls }) => toolCalls > 1 && enough)];
          return (await runAgent({ model, prompt: 'go', tools: { add }, stopWhen })).iterations.length;
        },
        agree: 2,
      },
    },
    {
      six: ['toolChoice'],
      ours: 'settings.toolChoice',
      proof: {
        answers: oneCall.slice(0, 1),
        theirs: async (scene) =>
          await after(
            generateText({ model: scene.model, prompt: 'go', tools: { add }, toolChoice: 'required' }),
            () => scene.calls[0]?.toolChoice,
          ),
        ours: async (scene) =>
          await after(
            runAgent({
              model: scene.model,
              prompt: 'go',
              tools: { add },
              settings: { toolChoice: 'required' },
              stopWhen: [maxIterations(1)],
            }),
            () => scene.calls[0]?.toolChoice,
          ),
        agree: { type: 'required' },
      },
    },
    {
      six: ['activeTools', 'experimental_activeTools'],
      seven: ['activeTools'],
      ours: 'permissions: { allow }',
      note: 'A tool that may not be called is not offered, and refused if the model calls it nevertheless.',
      proof: {
        answers: oneCall.slice(1),
        theirs: async (scene) =>
          await after(
            generateText({ model: scene.model, prompt: 'go', tools: { add, other: add }, activeTools: ['add'] }),
            () => offered(scene),
          ),
        ours: async (scene) =>
          await after(
            runAgent({
              model: scene.model,
              prompt: 'go',
              tools: { add, other: add },
              permissions: { allow: ['add'] },
            }),
            () => offered(scene),
          ),
        agree: ['add'],
      },
    },
    {
      six: ['tool: needsApproval'],
      seven: ['tool: needsApproval', 'toolApproval'],
      ours: 'needsApproval · requireApproval(tool, { deadline }) · permissions: { ask }',
      note: 'The run pauses as `interaction_pending`, days if need be, and `resume` with `approve()` or `deny()` continues it.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          const asked = tool({ ...add, needsApproval: true });
          const { content } = await generateText({ model, prompt: 'go', tools: { add: asked } });
          return content.flatMap((part) => (part.type === 'tool-approval-request' ? [part.toolCall.toolName] : []));
        },
        ours: async ({ model }) => {
          const { termination } = await runAgent({ model, prompt: 'go', tools: { add: requireApproval(add) } });
          return termination.kind === 'interaction_pending' && termination.requests.map((request) => request.tool);
        },
        agree: ['add'],
      },
    },
    {
      six: ['experimental_toolApprovalSecret'],
      note: 'Not needed: an approval is an answer to a request that the engine has stored, and nothing that a client sends can make up a request.',
    },
    {
      six: ['tool: no execute'],
      ours: 'the same · clientTool(tool, { deadline })',
      note: 'The run pauses until `toolResult(value)` or `toolError(message)` answers.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          const outside = tool({ inputSchema, outputSchema: z.number() });
          const { toolCalls } = await generateText({ model, prompt: 'go', tools: { add: outside } });
          return toolCalls.map(({ toolCallId }) => toolCallId);
        },
        ours: async ({ model }) => {
          const { termination } = await runAgent({ model, prompt: 'go', tools: { add: { inputSchema } } });
          return termination.kind === 'interaction_pending' && termination.requests.map(({ id }) => id);
        },
        agree: ['call_1'],
      },
    },
    {
      six: ['tool: toModelOutput'],
      ours: 'the same',
      proof: {
        answers: oneCall,
        theirs: async (scene) => {
          const toModelOutput = () => ({ type: 'text' as const, value: 'five' });
          const tools = { add: tool({ ...add, toModelOutput }) };
          await generateText({ model: scene.model, prompt: 'go', tools, stopWhen: stepCountIs(3) });
          return results(scene);
        },
        ours: async (scene) => {
          const toModelOutput = () => ({ type: 'text' as const, value: 'five' });
          await runAgent({ model: scene.model, prompt: 'go', tools: { add: { ...add, toModelOutput } } });
          return results(scene);
        },
        agree: [{ type: 'text', value: 'five' }],
      },
    },
    {
      six: ['tool: a throwing execute'],
      ours: 'the same',
      note: 'The model sees the error; `consecutiveErrors(n)` ends a run that gets nowhere.',
      proof: {
        answers: oneCall,
        theirs: async (scene) => {
          const tools = { add: tool({ ...add, execute: broken }) };
          await generateText({ model: scene.model, prompt: 'go', tools, stopWhen: stepCountIs(3) });
          return results(scene).map((output) => (output as { type: string }).type);
        },
        ours: async (scene) => {
          await runAgent({ model: scene.model, prompt: 'go', tools: { add: { ...add, execute: broken } } });
          return results(scene).map((output) => (output as { type: string }).type);
        },
        agree: ['error-text'],
      },
    },
    {
      six: ['tool: execute(input, { toolCallId, messages, abortSignal })'],
      ours: 'the same, with idempotencyKey',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          const seen: unknown[] = [];
          const execute = (_input: object, options: CallFacts) => seen.push(factsOf(options));
          const tools = { add: tool({ inputSchema, execute: execute as never }) };
          await generateText({ model, prompt: 'go', tools, stopWhen: stepCountIs(3) });
          return seen;
        },
        ours: async ({ model }) => {
          const seen: unknown[] = [];
          const execute = (_input: object, options: CallFacts) => seen.push(factsOf(options));
          await runAgent({ model, prompt: 'go', tools: { add: { inputSchema, execute } } });
          return seen;
        },
        agree: [['call_1', 'user']],
      },
    },
    {
      six: ['experimental_context'],
      seven: ['runtimeContext', 'toolsContext'],
      ours: 'context',
      note: 'Typed from what the tools ask for, given to tools and hooks, and never journalled; on resume and in workers it comes from `context: (run) => …` of the definition.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          const seen: unknown[] = [];
          const execute = (_input: object, { experimental_context }: { experimental_context?: unknown }) =>
            seen.push(experimental_context);
          const tools = { add: tool({ inputSchema, execute: execute as never }) };
          await generateText({ model, prompt: 'go', tools, experimental_context: acme, stopWhen: stepCountIs(3) });
          return seen;
        },
        ours: async ({ model }) => {
          const seen: unknown[] = [];
          const execute = (_input: object, { context }: { context: typeof acme }) => seen.push(context);
          await runAgent({ model, prompt: 'go', tools: { add: { inputSchema, execute } }, context: acme });
          return seen;
        },
        agree: [{ tenant: 'acme' }],
      },
    },
    {
      six: ['prepareStep', 'experimental_prepareStep'],
      seven: ['prepareStep'],
      ours: 'prepareStep',
      note: 'Chooses model, tools, tool choice, instructions, messages and settings of each call. Its answer is journalled, so that a replay never asks again.',
      proof: {
        answers: oneCall,
        theirs: async (scene) => {
          const prepareStep = ({ stepNumber }: { stepNumber: number }) => ({
            activeTools: stepNumber === 0 ? ['add' as const] : ['other' as const],
          });
          const tools = { add, other: add };
          await generateText({ model: scene.model, prompt: 'go', tools, prepareStep, stopWhen: stepCountIs(3) });
          return scene.calls.map((_call, index) => offered({ ...scene, calls: scene.calls.slice(index) }));
        },
        ours: async (scene) => {
          const prepareStep = ({ modelCall }: { modelCall: number }) => ({
            activeTools: modelCall === 1 ? ['add'] : ['other'],
          });
          await runAgent({ model: scene.model, prompt: 'go', tools: { add, other: add }, prepareStep });
          return scene.calls.map((_call, index) => offered({ ...scene, calls: scene.calls.slice(index) }));
        },
        agree: [['add'], ['other']],
      },
    },
    {
      six: ['experimental_repairToolCall'],
      seven: ['repairToolCall', 'experimental_repairToolCall'],
      ours: 'repairToolCall',
      note: 'Returns the tool or the input to use instead, as values; its answer is journalled.',
      proof: {
        answers: [{ toolCalls: [{ tool: 'plus', input: { a: 2, b: 3 } }] }, ...oneCall.slice(1)],
        theirs: async (scene) => {
          const tools = { add };
          await generateText({
            model: scene.model,
            prompt: 'go',
            tools,
            stopWhen: stepCountIs(3),
            experimental_repairToolCall: async ({ toolCall }) => ({ ...toolCall, toolName: 'add' }),
          });
          return results(scene);
        },
        ours: async (scene) => {
          await runAgent({ model: scene.model, prompt: 'go', tools: { add }, repairToolCall: () => ({ tool: 'add' }) });
          return results(scene);
        },
        agree: [{ type: 'json', value: 5 }],
      },
    },
    {
      six: [],
      seven: ['toolCallConcurrency'],
      ours: 'toolConcurrency',
    },
    {
      six: [],
      seven: ['toolOrder'],
      note: 'Tools are offered in the order in which they are given.',
    },
    {
      six: [],
      seven: ['experimental_toolCallers'],
      note: 'Tools are called by models and by nothing else; code that calls tools is a tool with a function of its own.',
    },
    {
      six: [],
      seven: ['experimental_refineToolInput'],
      ours: 'hooks.beforeTool → transform(input)',
    },
    {
      six: [],
      seven: ['experimental_sandbox'],
      note: 'A sandbox is passed to tools like anything else that they need.',
    },
    {
      six: [],
      seven: ['experimental_steering'],
      ours: 'hooks.beforeModel → inject(text)',
      note: 'A message from outside comes in at a fixed place of the loop and is journalled; `resume({ guidance })` adds one later.',
    },
  ],
};

interface CallFacts {
  readonly toolCallId: string;
  readonly messages: readonly { readonly role: string }[];
}

function factsOf({ toolCallId, messages }: CallFacts): readonly unknown[] {
  return [toolCallId, messages.find(({ role }) => role !== 'system')?.role];
}

function broken(): never {
  throw new Error('broken');
}
