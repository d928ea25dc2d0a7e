import { z } from 'zod';
import { streamWithEnding, withEnding } from '../../../packages/fullstop/src/adapters/openai-agents/index.js';
import { loopDetection, timeout, tokenBudget } from '../../../packages/fullstop/src/index.js';
import type { AnyModule } from '../load-framework.js';
import { thrownWords } from '../own-words.js';
import type { FrameworkScenes, Lived } from '../situation.js';
import { unfinishedScenes } from './openai-unfinished.js';

interface Answer {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: object };
  readonly refusal?: string;
  readonly error?: Error;
  readonly hangs?: boolean;
}

const searching = (q: string): Answer => ({ call: { name: 'search', input: { q } } });
const usage = {
  requests: 1,
  inputTokens: 40,
  outputTokens: 10,
  totalTokens: 50,
  inputTokensDetails: [],
  outputTokensDetails: [],
};

function httpError(status: number, fields: object = {}): Error {
  return Object.assign(new Error(`The provider answers ${status}.`), { status, headers: {}, ...fields });
}

/** A model that answers from a list; the last answer is repeated. */
function scripted(answers: readonly Answer[], onCall: () => void = () => undefined) {
  let asked = 0;
  const requests: { readonly input?: unknown }[] = [];
  const outputOf = (answer: Answer, index: number): readonly object[] => {
    if (answer.call !== undefined) {
      const { name, input } = answer.call;
      const base = { type: 'function_call', callId: `call_${index}`, name, status: 'completed' };
      return [{ ...base, arguments: JSON.stringify(input) }];
    }
    if (answer.refusal !== undefined) return [message([{ type: 'refusal', refusal: answer.refusal }])];
    if (answer.text === undefined) return [];
    return [message([{ type: 'output_text', text: answer.text }])];
  };
  const next = async (request: { readonly signal?: AbortSignal; readonly input?: unknown }) => {
    requests.push(request);
    const index = asked++;
    const answer = answers[Math.min(index, answers.length - 1)] as Answer;
    onCall();
    if (answer.hangs === true) {
      await new Promise((_, reject) => {
        const { signal } = request;
        if (signal?.aborted === true) reject(signal.reason);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
    if (answer.error !== undefined) throw answer.error;
    return { usage, output: outputOf(answer, index), responseId: `response_${index}` };
  };
  return {
    requests,
    getResponse: next,
    async *getStreamedResponse(request: { readonly signal?: AbortSignal }) {
      yield { type: 'response_started' };
      yield { type: 'output_text_delta', delta: 'Once' };
      const response = await next(request);
      yield { type: 'response_done', response: { id: response.responseId, ...response } };
    },
  };
}

function message(content: readonly object[]): object {
  return { type: 'message', role: 'assistant', status: 'completed', content };
}

function makeStage(sdk: AnyModule) {
  const { Agent, run, setTracingDisabled, tool } = sdk;
  setTracingDisabled(true);
  const search = tool({
    name: 'search',
    description: 'search',
    parameters: z.object({ q: z.string() }),
    execute: async ({ q }: { readonly q: string }) => `found ${q}`,
  });
  const deploy = tool({
    name: 'deploy',
    description: 'deploy',
    parameters: z.object({ to: z.string() }),
    needsApproval: true,
    execute: async () => 'deployed',
  });
  const broken = tool({
    name: 'broken',
    description: 'broken',
    parameters: z.object({}),
    execute: async () => {
      throw new Error('out of order');
    },
  });
  const agentOf = (answers: readonly Answer[], settings: object = {}) =>
    new Agent({ name: 'helper', model: scripted(answers), tools: [search, deploy, broken], ...settings });

  interface Given {
    readonly settings?: object;
    readonly options?: object;
    readonly ours?: object;
  }

  const live = async (answers: readonly Answer[], { settings, options, ours = {} }: Given = {}): Promise<Lived> => {
    const { termination, result, error } = await withEnding(run, [agentOf(answers, settings), 'go', options], ours);
    const own = result as { readonly finalOutput?: unknown; readonly interruptions: readonly unknown[] } | undefined;
    if (own === undefined) return { termination, says: error === undefined ? 'is not called' : thrownWords(error) };
    const { length } = own.interruptions;
    return {
      termination,
      says: length > 0 ? `interruptions ${length}` : `finalOutput ${JSON.stringify(own.finalOutput)}`,
    };
  };
  const error = (status: number, fields: object = {}): readonly Answer[] => [{ error: httpError(status, fields) }];
  return { run, tool, agentOf, live, error };
}

type Stage = ReturnType<typeof makeStage>;

function limitScenes({ live }: Stage): FrameworkScenes {
  return {
    natural_end: () => live([searching('a'), { text: 'done' }]),
    step_limit: () => live([searching('a'), searching('b'), searching('c')], { options: { maxTurns: 2 } }),
    usual_limit: () => live([searching('a')]),
    named_predicate: () => live([searching('a')], { settings: { toolUseBehavior: 'stop_on_first_tool' } }),
    loop: () => live([searching('a')], { ours: { stopWhen: [loopDetection()] } }),
    approval: () => live([{ call: { name: 'deploy', input: { to: 'prod' } } }]),
  };
}

function abortScenes({ tool, live }: Stage): FrameworkScenes {
  return {
    abort_before: () => live([{ text: 'done' }], { options: { signal: AbortSignal.abort('enough') } }),
    abort_in_model: () => {
      const controller = new AbortController();
      const model = scripted([{ hangs: true }], () => setImmediate(() => controller.abort('enough')));
      return live([], { settings: { model }, options: { signal: controller.signal } });
    },
    abort_in_tool: () => {
      const controller = new AbortController();
      const wait = tool({
        name: 'wait',
        description: 'wait',
        parameters: z.object({}),
        execute: async () => {
          controller.abort('enough');
          return 'waited';
        },
      });
      const answers = [{ call: { name: 'wait', input: {} } }, { text: 'done' }];
      return live(answers, { settings: { tools: [wait] }, options: { signal: controller.signal } });
    },
    timeout: () => live([{ hangs: true }], { ours: { stopWhen: [timeout({ run: '50ms' })] } }),
  };
}

function answerScenes({ run, agentOf, live, error }: Stage): FrameworkScenes {
  return {
    status_401: () => live(error(401)),
    status_402: () => live(error(402)),
    status_429: () => live(error(429, { headers: { 'retry-after': '2' } })),
    status_500: () => live(error(500)),
    context_overflow: () => live(error(400, { code: 'context_length_exceeded' })),
    refusal: () => live([{ refusal: 'I cannot help with that.' }]),
    malformed_call: () => live([{ call: { name: 'search', input: { wrong: true } } }, { text: 'done' }]),
    throwing_tool: () => live([{ call: { name: 'broken', input: {} } }, { text: 'done' }]),
    sub_agent_limit: () => {
      const inner = agentOf([searching('a')], { name: 'inner' });
      const ask = inner.asTool({ toolName: 'ask', toolDescription: 'ask', runOptions: { maxTurns: 1 } });
      return live([{ call: { name: 'ask', input: { input: 'x' } } }, { text: 'done' }], { settings: { tools: [ask] } });
    },
    budget: () => live([searching('a')], { ours: { stopWhen: [tokenBudget({ total: 100 })] } }),
    empty_answer: () => live([{}]),
    stream_cut: async () => {
      const agent = agentOf([{ error: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) }]);
      const { result, ending } = await streamWithEnding(run, [agent, 'go', { stream: true }]);
      let thrown: unknown;
      try {
        for await (const _event of result as AsyncIterable<unknown>);
      } catch (error) {
        thrown = error;
      }
      const { termination } = await ending;
      return { termination, says: `stream: ${thrownWords(thrown)}` };
    },
  };
}

function clientScenes({ tool, live }: Stage): FrameworkScenes {
  const define = (name: string, more: object) => tool({ name, description: name, parameters: z.object({}), ...more });
  /** The model calls the tool, hears its result and answers. */
  const calling = async (called: { readonly name: string }): Promise<Lived> => {
    const model = scripted([{ call: { name: called.name, input: {} } }, { text: 'done' }]);
    const lived = await live([], { settings: { model, tools: [called] } });
    return { ...lived, says: `the model hears ${heardBy(model.requests)}; ${lived.says}` };
  };
  return {
    client_tool: [
      () => calling(define('locate', {})),
      () => {
        const tools = [define('locate', { execute: async () => 'for the client' })];
        const settings = { tools, toolUseBehavior: { stopAtToolNames: ['locate'] } };
        return live([{ call: { name: 'locate', input: {} } }], { settings });
      },
    ],
    interrupt: () => {
      const execute = async () => {
        throw new Error('Which one?');
      };
      return calling(define('ask', { execute }));
    },
  };
}

/** The first sentence of the last result that a model was sent. */
function heardBy(requests: readonly { readonly input?: unknown }[]): string {
  const items = requests.at(-1)?.input as readonly { readonly type: string; readonly output?: AnyModule }[];
  const { output } = items.findLast(({ type }) => type === 'function_call_result') ?? {};
  const [sentence] = /^.*?\.(?= )/.exec(output?.text ?? String(output)) ?? [];
  return JSON.stringify(sentence);
}

/** The situations of the OpenAI Agents SDK. */
export function openaiAgentsScenes(sdk: AnyModule): FrameworkScenes {
  const stage = makeStage(sdk);
  return {
    ...limitScenes(stage),
    ...abortScenes(stage),
    ...answerScenes(stage),
    ...clientScenes(stage),
    ...unfinishedScenes(sdk),
  };
}
