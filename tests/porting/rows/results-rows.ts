import {
  createAgentUIStream,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  generateText,
  readUIMessageStream,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
} from 'ai';
import { z } from 'zod';
import { defineAgent, memoryEngine, runAgent, transform } from '../../../packages/fullstop/src/index.js';
import { done, oneCall, type PortingTable } from '../porting-row.js';

const inputSchema = z.object({ a: z.number(), b: z.number() });
const add = tool({ description: 'Adds', inputSchema, execute: ({ a, b }) => a + b });
const loop = { prompt: 'go', tools: { add }, stopWhen: stepCountIs(5) };

/** The types of the parts of the last message that a client of the AI SDK makes of a stream. */
async function partsOf(stream: unknown): Promise<readonly string[]> {
  let parts: readonly { readonly type: string }[] = [];
  for await (const message of readUIMessageStream({ stream: stream as never })) parts = message.parts;
  return parts.map(({ type }) => type).filter((type) => type !== 'step-start' && !type.startsWith('data-'));
}

/** The parts of the message that `useChat` has after it came back to a stream: it asks for this response. */
async function partsAfterReload(body: ReadableStream | string | null): Promise<readonly string[]> {
  const transport = new DefaultChatTransport({ fetch: async () => new Response(body) });
  return await partsOf(await transport.reconnectToStream({ chatId: 'chat-1' }));
}

/** The results when it has ended. */
export const resultsRows: PortingTable = {
  title: 'Results and streams',
  rows: [
    {
      six: ['result.finishReason'],
      ours: 'result.termination',
      note: 'Not how the last call finished but why the run ended, typed with its evidence; `matchCategory` and `match` are checked for completeness.',
      proof: {
        answers: done,
        theirs: async ({ model }) => (await generateText({ model, prompt: 'go' })).finishReason === 'stop',
        ours: async ({ model }) => (await runAgent({ model, prompt: 'go' })).termination.kind === 'natural_end',
        agree: true,
      },
    },
    {
      six: ['result.text'],
      ours: 'result.text',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => (await generateText({ model, ...loop })).text,
        ours: async ({ model }) => (await runAgent({ model, prompt: 'go', tools: { add } })).text,
        agree: 'It is 5.',
      },
    },
    {
      six: ['result.steps'],
      ours: 'result.iterations',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => (await generateText({ model, ...loop })).steps.length,
        ours: async ({ model }) => (await runAgent({ model, prompt: 'go', tools: { add } })).iterations.length,
        agree: 2,
      },
    },
    {
      six: ['result.toolCalls', 'result.toolResults'],
      ours: 'result.toolCalls',
      note: 'All calls of the run with their results, not only those of the last step.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          const { steps } = await generateText({ model, ...loop });
          return steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName, input }) => [toolName, input]));
        },
        ours: async ({ model }) => {
          const { toolCalls } = await runAgent({ model, prompt: 'go', tools: { add } });
          return toolCalls.map((call) => [call.tool, call.input]);
        },
        agree: [['add', { a: 2, b: 3 }]],
      },
    },
    {
      six: ['result.totalUsage'],
      ours: 'result.usage',
      note: '`costUsd` beside it, where the prices are known.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => (await generateText({ model, ...loop })).totalUsage.totalTokens,
        ours: async ({ model }) => (await runAgent({ model, prompt: 'go', tools: { add } })).usage.totalTokens,
        agree: 17,
      },
    },
    {
      six: ['result.response.messages'],
      ours: 'result.messages',
      note: 'The whole conversation, the prompt included.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => (await generateText({ model, ...loop })).response.messages.map(({ role }) => role),
        ours: async ({ model }) => {
          const { messages } = await runAgent({ model, prompt: 'go', tools: { add } });
          return messages.slice(1).map(({ role }) => role);
        },
        agree: ['assistant', 'tool', 'assistant'],
      },
    },
    {
      six: ['streamText(…).textStream'],
      ours: 'agent.stream(…).deltas()',
      proof: {
        answers: done,
        theirs: async ({ model }) => {
          let text = '';
          for await (const part of streamText({ model, prompt: 'go' }).textStream) text += part;
          return text;
        },
        ours: async ({ model }) => {
          let text = '';
          for await (const delta of defineAgent({ model }).stream('go').deltas()) {
            if (delta.type === 'text') text += delta.text;
          }
          return text;
        },
        agree: 'done',
      },
    },
    {
      six: ['streamText(…).fullStream'],
      ours: 'agent.stream(…).deltas() · .events({ after })',
      note: '`events` is the journal by cursor: whoever comes late or again misses nothing.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          let results = 0;
          for await (const part of streamText({ model, ...loop }).fullStream)
            if (part.type === 'tool-result') results += 1;
          return results;
        },
        ours: async ({ model }) => {
          let results = 0;
          for await (const { type, key } of defineAgent({ model, tools: { add } }).stream('go').events()) {
            if (type === 'step_ended' && key?.startsWith('tool:') === true) results += 1;
          }
          return results;
        },
        agree: 1,
      },
    },
    {
      six: ['streamText(…).toUIMessageStream()', 'createAgentUIStream'],
      ours: 'agent.stream(…).toUIMessageStream()',
      note: 'Read by the same clients; the ending comes with the last part.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          const agent = new ToolLoopAgent({ model, tools: { add } });
          const asked = { id: 'm-1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'go' }] };
          return await partsOf(await createAgentUIStream({ agent, uiMessages: [asked] }));
        },
        ours: async ({ model }) =>
          await partsOf(defineAgent({ model, tools: { add } }).stream('go').toUIMessageStream()),
        agree: ['tool-add', 'text'],
      },
    },
    {
      six: ['toUIMessageStreamResponse({ consumeSseStream })', 'useChat({ resume: true })'],
      ours: 'agent.follow(runId, { engine })',
      note: 'No second store for streams: the journal has the message. A run that another process executes, or that was killed and continued, is followed the same way.',
      proof: {
        answers: oneCall,
        theirs: async ({ model }) => {
          let stored: Promise<string> | undefined;
          const consumeSseStream = ({ stream }: { stream: ReadableStream<string> }) => {
            stored = new Response(stream.pipeThrough(new TextEncoderStream())).text();
          };
          await streamText({ model, ...loop })
            .toUIMessageStreamResponse({ consumeSseStream })
            .text();
          return await partsAfterReload((await stored) ?? null);
        },
        ours: async ({ model }) => {
          const engine = memoryEngine();
          const agent = defineAgent({ model, tools: { add } });
          await agent.run('go', { engine, runId: 'run-1' });
          const stream = agent.follow('run-1', { engine }).toUIMessageStream<ReadableStream>();
          return await partsAfterReload(createUIMessageStreamResponse({ stream }).body);
        },
        agree: ['tool-add', 'text'],
      },
    },
    {
      six: ['experimental_transform'],
      ours: 'hooks.afterModel → transform(text)',
      note: 'Only whole answers are changed, since a changed answer goes into the journal and back to the model. Smoothing is for the client.',
      proof: {
        answers: done,
        theirs: async ({ model }) => {
          const shout = () =>
            new TransformStream<never, never>({
              transform(part: { type: string; text?: string }, controller) {
                const { type, text = '' } = part;
                controller.enqueue((type === 'text-delta' ? { ...part, text: text.toUpperCase() } : part) as never);
              },
            });
          return await streamText({ model, prompt: 'go', experimental_transform: shout as never }).text;
        },
        ours: async ({ model }) => {
          const hooks = { afterModel: ({ text }: { text: string }) => transform(text.toUpperCase()) };
          return (await defineAgent({ model, hooks }).stream('go').result).text;
        },
        agree: 'DONE',
      },
    },
    {
      six: ['includeRawChunks'],
      note: 'Chunks of a provider are not passed on: what is streamed is the same for every provider.',
    },
    {
      six: ['result.warnings', 'result.request', 'result.response.headers'],
      note: 'Not kept. Request ids and statuses are evidence of the endings that they belong to.',
    },
  ],
};
