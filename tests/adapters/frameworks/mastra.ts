import { z } from 'zod';
import { streamWithEnding, withEnding } from '../../../packages/fullstop/src/adapters/mastra/index.js';
import { loopDetection, timeout, tokenBudget } from '../../../packages/fullstop/src/index.js';
import { type ScriptAnswer, scriptedModel } from '../../../packages/fullstop/src/testing/index.js';
import type { AnyModule } from '../load-framework.js';
import { thrownWords } from '../own-words.js';
import type { FrameworkScenes, Lived } from '../situation.js';

const call = (name: string, input: object = {}): ScriptAnswer => ({
  toolCalls: [{ tool: name, input: input as never }],
  usage: { inputTokens: 40, outputTokens: 10 },
});
const searching = (q: string): ScriptAnswer => call('search', { q });
const sixTimes = (answer: ScriptAnswer): readonly ScriptAnswer[] => Array.from({ length: 6 }, () => answer);

/** The packages of Mastra that the scenes need. */
export interface Mastra {
  readonly agents: AnyModule;
  readonly tools: AnyModule;
}

function makeTools({ createTool }: AnyModule) {
  const define = (
    id: string,
    inputSchema: object,
    execute: (input: AnyModule, context: AnyModule) => unknown,
    more = {},
  ) => createTool({ id, description: id, inputSchema, execute, ...more });
  return {
    search: define('search', z.object({ q: z.string() }), async ({ q }) => ({ found: q })),
    deploy: define('deploy', z.object({ to: z.string() }), async () => 'deployed', { requireApproval: true }),
    broken: define('broken', z.object({}), async () => {
      throw new Error('out of order');
    }),
    // Without a function: whoever asked performs it.
    locate: createTool({ id: 'locate', description: 'locate', inputSchema: z.object({}) }),
    choose: define(
      'choose',
      z.object({}),
      async (_input, context) => (context?.agent ?? context)?.suspend?.({ question: 'Which one?' }),
      { suspendSchema: z.object({ question: z.string() }), resumeSchema: z.object({ choice: z.string() }) },
    ),
    define,
  };
}

function makeStage({ agents, tools: toolModule }: Mastra) {
  const { define, ...tools } = makeTools(toolModule);
  const agentOf = (answers: readonly ScriptAnswer[], settings: object = {}) => {
    const model = scriptedModel(answers);
    return new agents.Agent({ id: 'helper', name: 'helper', instructions: 'Help.', model, tools, ...settings });
  };
  const live = async (
    answers: readonly ScriptAnswer[],
    { settings = {}, options = {}, ours = {} }: { settings?: object; options?: object; ours?: object } = {},
  ): Promise<Lived> => {
    const given = { modelSettings: { maxRetries: 0 }, ...options };
    const { termination, result, error } = await withEnding(agentOf(answers, settings), ['go', given], ours);
    if (result !== undefined) return { termination, says: `finishReason '${(result as AnyModule).finishReason}'` };
    return { termination, says: error === undefined ? 'is not called' : thrownWords(error) };
  };
  return { agentOf, define, live };
}

type Stage = ReturnType<typeof makeStage>;

function limitScenes({ live }: Stage): FrameworkScenes {
  const saidEnough = ({ steps }: { readonly steps: readonly unknown[] }): boolean => [...steps].length > 1;
  return {
    natural_end: () => live([searching('a'), { text: 'done' }]),
    step_limit: () => live(sixTimes(searching('a')), { options: { maxSteps: 2 } }),
    usual_limit: () => live(sixTimes(searching('a'))),
    named_predicate: () => live(sixTimes(searching('a')), { options: { stopWhen: saidEnough } }),
    loop: () => live(sixTimes(searching('a')), { ours: { stopWhen: [loopDetection()] } }),
    approval: () => live([call('deploy', { to: 'prod' })]),
    interrupt: () => live([call('choose')]),
    budget: () => live(sixTimes(searching('a')), { ours: { stopWhen: [tokenBudget({ total: 100 })] } }),
  };
}

function abortScenes({ live, define }: Stage): FrameworkScenes {
  return {
    abort_before: () => live([{ text: 'done' }], { options: { abortSignal: AbortSignal.abort('enough') } }),
    abort_in_model: () => {
      const controller = new AbortController();
      const model = scriptedModel([{ text: 'late', delay: '60s' }], { onCall: () => controller.abort('enough') });
      return live([{ text: 'late' }], { settings: { model }, options: { abortSignal: controller.signal } });
    },
    abort_in_tool: () => {
      const controller = new AbortController();
      const wait = define('wait', z.object({}), (_input, context) => {
        const { abortSignal } = context as { readonly abortSignal: AbortSignal };
        return new Promise((_, reject) => {
          abortSignal.addEventListener('abort', () => reject(abortSignal.reason), { once: true });
          controller.abort('enough');
        });
      });
      const settings = { tools: { wait } };
      return live([call('wait'), { text: 'done' }], { settings, options: { abortSignal: controller.signal } });
    },
    timeout: () => live([{ text: 'late', delay: '60s' }], { ours: { stopWhen: [timeout({ run: '50ms' })] } }),
  };
}

function answerScenes({ live, agentOf }: Stage): FrameworkScenes {
  return {
    client_tool: () => live([call('locate')]),
    status_401: () => live([{ error: { status: 401 } }]),
    status_402: () => live([{ error: { status: 402 } }]),
    status_429: () => live([{ error: { status: 429, retryAfter: '2s' } }]),
    status_500: () => live([{ error: { status: 500 } }]),
    context_overflow: () => live([{ error: 'context_length' }]),
    length: () => live([{ text: 'Once upon', error: 'length' }]),
    filter: () => live([{ text: '', error: 'filter' }]),
    refusal: () => live([{ text: 'I cannot help with that.', error: 'refusal' }]),
    malformed_call: () => live([call('search', { wrong: true }), { text: 'done' }]),
    throwing_tool: () => live([call('broken'), { text: 'done' }]),
    sub_agent_limit: () => {
      const inner = agentOf(sixTimes(searching('a')), { id: 'inner', name: 'inner', description: 'Looks things up.' });
      return live([call('agent-inner', { prompt: 'look' }), { text: 'done' }], { settings: { agents: { inner } } });
    },
    empty_answer: () => live([{ finish: 'stop' }]),
    stream_cut: async () => {
      const heard: string[] = [];
      const options = {
        modelSettings: { maxRetries: 0 },
        onError: ({ error }: { readonly error: Error }) => void heard.push(`onError ${error.name}`),
      };
      const agent = agentOf([{ text: 'Once upon a time', error: 'stream_cut' }]);
      const { result, ending } = await streamWithEnding(agent, ['go', options]);
      for await (const _part of (result as AnyModule).fullStream);
      const { termination } = await ending;
      return { termination, says: `stream: ${heard.join(', ')}` };
    },
  };
}

/** The situations of Mastra. */
export function mastraScenes(mastra: Mastra): FrameworkScenes {
  const stage = makeStage(mastra);
  return { ...limitScenes(stage), ...abortScenes(stage), ...answerScenes(stage) };
}
