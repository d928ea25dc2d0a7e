import { z } from 'zod';
import { streamWithEnding, withEnding } from '../../../packages/fullstop/src/adapters/ai-sdk/index.js';
import { loopDetection, timeout, tokenBudget } from '../../../packages/fullstop/src/index.js';
import { type ScriptAnswer, scriptedModel } from '../../../packages/fullstop/src/testing/index.js';
import type { AnyModule } from '../load-framework.js';
import { thrownWords } from '../own-words.js';
import type { FrameworkScenes, Lived, Scene } from '../situation.js';

const call = (name: string, input: object = {}): ScriptAnswer => ({
  toolCalls: [{ tool: name, input: input as never }],
  usage: { inputTokens: 40, outputTokens: 10 },
});
const searching = (q: string): ScriptAnswer => call('search', { q });

const fiveTimes = (answer: ScriptAnswer): readonly ScriptAnswer[] => [answer, answer, answer, answer, answer];

/** The models of a stage: scripted, and in the specification that its version of the AI SDK accepts. */
type MakeModel = typeof scriptedModel;

function makeStage(ai: AnyModule, makeModel: MakeModel) {
  const { generateText, hasToolCall, stepCountIs, streamText, tool } = ai;
  const search = tool({
    inputSchema: z.object({ q: z.string() }),
    execute: async ({ q }: { readonly q: string }) => `found ${q}`,
  });
  const deploy = tool({
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    execute: async ({ to }: { readonly to: string }) => `deployed to ${to}`,
  });
  const locate = tool({ inputSchema: z.object({}) });
  const broken = tool({
    inputSchema: z.object({}),
    execute: async () => {
      throw new Error('out of order');
    },
  });
  const live = async (
    answers: readonly ScriptAnswer[],
    options: object = {},
    ours: Parameters<typeof withEnding>[2] = {},
  ): Promise<Lived> => {
    const tools = { search, deploy, locate, broken };
    const given = { model: makeModel(answers), prompt: 'go', tools, maxRetries: 0, ...options };
    const { termination, result, error } = await withEnding(generateText as AnyModule, given as AnyModule, ours);
    if (result !== undefined) return { termination, says: `finishReason '${(result as AnyModule).finishReason}'` };
    return { termination, says: error === undefined ? 'is not called' : thrownWords(error) };
  };
  /** Waits until its signal is aborted. */
  const endless = (onStart: () => void) =>
    tool({
      inputSchema: z.object({}),
      execute: (_input: object, { abortSignal }: { readonly abortSignal?: AbortSignal }) =>
        new Promise<string>((_, reject) => {
          abortSignal?.addEventListener('abort', () => reject(abortSignal.reason), { once: true });
          onStart();
        }),
    });
  return { generateText, hasToolCall, stepCountIs, streamText, tool, search, deploy, live, endless, makeModel };
}

type Stage = ReturnType<typeof makeStage>;

function limitScenes({ hasToolCall, stepCountIs, live }: Stage): FrameworkScenes {
  return {
    natural_end: () => live([searching('x'), { text: 'done' }], { stopWhen: stepCountIs(5) }),
    step_limit: () => live([searching('a'), searching('b'), searching('c')], { stopWhen: stepCountIs(2) }),
    usual_limit: () => live([searching('a'), searching('b')]),
    named_predicate: () => live([searching('a')], { stopWhen: [stepCountIs(9), hasToolCall('search')] }),
    loop: () => live(fiveTimes(searching('a')), { stopWhen: stepCountIs(9) }, { stopWhen: [loopDetection()] }),
    approval: () => live([call('deploy', { to: 'prod' })], { stopWhen: stepCountIs(9) }),
    client_tool: () => live([call('locate')], { stopWhen: stepCountIs(9) }),
  };
}

function abortScenes({ stepCountIs, live, endless, makeModel }: Stage): FrameworkScenes {
  return {
    abort_before: () => live([{ text: 'done' }], { abortSignal: AbortSignal.abort('enough') }),
    abort_in_model: () => {
      const controller = new AbortController();
      const model = makeModel([{ text: 'late', delay: '60s' }], { onCall: () => controller.abort('enough') });
      return live([{ text: 'late' }], { model: model as never, abortSignal: controller.signal });
    },
    abort_in_tool: () => {
      const controller = new AbortController();
      const tools = { wait: endless(() => controller.abort('enough')) };
      return live([call('wait'), { text: 'done' }], {
        tools,
        stopWhen: stepCountIs(9),
        abortSignal: controller.signal,
      });
    },
    timeout: () => live([{ text: 'late', delay: '60s' }], {}, { stopWhen: [timeout({ run: '50ms' })] }),
  };
}

function answerScenes({
  generateText,
  stepCountIs,
  streamText,
  tool,
  search,
  live,
  makeModel,
}: Stage): FrameworkScenes {
  return {
    status_401: () => live([{ error: { status: 401 } }]),
    status_402: () => live([{ error: { status: 402 } }]),
    status_429: () => live([{ error: { status: 429, retryAfter: '2s' } }]),
    status_500: () => live([{ error: { status: 500 } }]),
    context_overflow: () => live([{ error: 'context_length' }]),
    length: () => live([{ text: 'Once upon', error: 'length' }]),
    filter: () => live([{ text: '', error: 'filter' }]),
    refusal: () => live([{ text: 'I cannot help with that.', error: 'refusal' }]),
    malformed_call: () => live([call('search', { wrong: true }), { text: 'done' }], { stopWhen: stepCountIs(9) }),
    throwing_tool: () => live([call('broken'), { text: 'done' }], { stopWhen: stepCountIs(9) }),
    sub_agent_limit: () => {
      const inner = makeModel([searching('a'), searching('b')]) as never;
      const ask = tool({
        inputSchema: z.object({}),
        execute: async () => {
          const given = { model: inner, prompt: 'look', tools: { search } };
          const { termination } = await withEnding(generateText, given);
          return { ended: termination.kind };
        },
      });
      return live([call('ask'), { text: 'done' }], { tools: { ask }, stopWhen: stepCountIs(9) });
    },
    budget: () =>
      live(fiveTimes(searching('a')), { stopWhen: stepCountIs(9) }, { stopWhen: [tokenBudget({ total: 100 })] }),
    empty_answer: () => live([{ finish: 'stop' }]),
    stream_cut: async () => {
      const model = makeModel([{ text: 'Once upon a time', error: 'stream_cut' }]);
      const heard: string[] = [];
      const options = {
        model,
        prompt: 'go',
        maxRetries: 0,
        onError: () => void heard.push('onError'),
        onFinish: () => void heard.push('onFinish'),
        onAbort: () => void heard.push('onAbort'),
      };
      const { result, ending } = await streamWithEnding(streamText, options);
      const thrown = await readAll((result as AnyModule).fullStream);
      const { termination } = await ending;
      const callbacks = heard.length === 0 ? 'no callback hears of it' : heard.join(', ');
      return { termination, says: `streamText: the stream ${thrownWords(thrown)}; ${callbacks}` };
    },
  };
}

function askScenes({ stepCountIs, tool, live }: Stage): FrameworkScenes {
  const inputSchema = z.object({ question: z.string() });
  const asking = [call('ask', { question: 'Which one?' }), { text: 'done' }];
  return {
    interrupt: [
      () => live(asking, { tools: { ask: tool({ inputSchema }) }, stopWhen: stepCountIs(9) }),
      async () => {
        const functions: string[] = [];
        const execute = async (_input: object, given: object) => {
          functions.push(
            ...Object.entries(given).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])),
          );
          throw new Error('Which one?');
        };
        const lived = await live(asking, { tools: { ask: tool({ inputSchema, execute }) }, stopWhen: stepCountIs(9) });
        return { ...lived, says: `the tool gets ${functions.join(', ') || 'no function'}; ${lived.says}` };
      },
    ],
  };
}

/** The situations of the AI SDK. */
export function aiSdkScenes(ai: AnyModule, makeModel: MakeModel = scriptedModel): FrameworkScenes {
  const stage = makeStage(ai, makeModel);
  return { ...limitScenes(stage), ...abortScenes(stage), ...answerScenes(stage), ...askScenes(stage) };
}

/** The scene of a version that knows no approvals: the tool that asks for one is asked for. */
export function unapprovedScene(ai: AnyModule, makeModel: MakeModel): Scene {
  const { deploy, live, stepCountIs } = makeStage(ai, makeModel);
  return async () => {
    let runs = 0;
    const execute = (...given: readonly unknown[]) => {
      runs += 1;
      return deploy.execute(...given);
    };
    const options = { tools: { deploy: { ...deploy, execute } }, stopWhen: stepCountIs(9) };
    const lived = await live([call('deploy', { to: 'prod' }), { text: 'done' }], options);
    return { ...lived, says: `the tool ${runs === 1 ? 'ran' : `ran ${runs} times`}; ${lived.says}` };
  };
}

/** Reads a stream to its end and returns what it threw. */
async function readAll(stream: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const _part of stream);
    return undefined;
  } catch (error) {
    return error;
  }
}
