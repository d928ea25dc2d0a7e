import { z } from 'zod';
import { streamWithEnding, withEnding } from '../../../packages/fullstop/src/adapters/langgraph/index.js';
import { loopDetection, timeout, tokenBudget } from '../../../packages/fullstop/src/index.js';
import type { AnyModule } from '../load-framework.js';
import { thrownWords } from '../own-words.js';
import type { FrameworkScenes, Lived } from '../situation.js';

interface Answer {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly args: object };
  readonly finish?: string;
  readonly refusal?: string;
  readonly error?: Error;
  readonly hangs?: boolean;
}

/** The packages of LangChain that the scenes need. */
export interface LangChain {
  readonly langchain: AnyModule;
  readonly langgraph: AnyModule;
  readonly models: AnyModule;
}

const searching = (q: string): Answer => ({ call: { name: 'search', args: { q } } });

function httpError(status: number, fields: object = {}): Error {
  return Object.assign(new Error(`The provider answers ${status}.`), { status, headers: {}, ...fields });
}

/** A chat model that answers from a list; the last answer is repeated. */
function scripted({ langchain, models }: LangChain, answers: readonly Answer[], onCall: () => void = () => undefined) {
  let asked = 0;
  class ScriptedChatModel extends models.BaseChatModel {
    constructor() {
      super({ maxRetries: 0 });
    }
    _llmType(): string {
      return 'scripted';
    }
    bindTools(): this {
      return this;
    }
    async _generate(_messages: unknown, options: { readonly signal?: AbortSignal }): Promise<object> {
      const index = asked++;
      const answer = answers[Math.min(index, answers.length - 1)] as Answer;
      onCall();
      if (answer.hangs === true) {
        await new Promise((_, reject) => {
          const { signal } = options;
          if (signal?.aborted === true) reject(signal.reason);
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      }
      if (answer.error !== undefined) throw answer.error;
      const { text = '', call, finish = call === undefined ? 'stop' : 'tool_calls', refusal } = answer;
      const message = new langchain.AIMessage({
        content: text,
        tool_calls: call === undefined ? [] : [{ ...call, id: `call_${index}`, type: 'tool_call' }],
        usage_metadata: { input_tokens: 40, output_tokens: 10, total_tokens: 50 },
        response_metadata: { finish_reason: finish },
        additional_kwargs: refusal === undefined ? {} : { refusal },
      });
      return { generations: [{ text, message }] };
    }
  }
  return new ScriptedChatModel();
}

function makeStage(packages: LangChain) {
  const { langchain, langgraph } = packages;
  const { createAgent, tool } = langchain;
  const search = tool(async ({ q }: { readonly q: string }) => `found ${q}`, {
    name: 'search',
    description: 'search',
    schema: z.object({ q: z.string() }),
  });
  const deploy = tool(async () => 'deployed', {
    name: 'deploy',
    description: 'deploy',
    schema: z.object({ to: z.string() }),
  });
  const broken = tool(
    async () => {
      throw new Error('out of order');
    },
    { name: 'broken', description: 'broken', schema: z.object({}) },
  );

  interface Given {
    readonly settings?: object;
    readonly config?: object;
    readonly ours?: object;
    readonly onCall?: () => void;
  }

  const agentOf = (answers: readonly Answer[], { settings = {}, onCall }: Given) =>
    createAgent({ model: scripted(packages, answers, onCall), tools: [search, deploy, broken], ...settings });
  const asked = { messages: [{ role: 'user', content: 'go' }] };

  const words = (termination: Lived['termination'], result: AnyModule, error: unknown): Lived => {
    if (error !== undefined) return { termination, says: thrownWords(error) };
    if (result === undefined) return { termination, says: 'is not called' };
    if (result.__interrupt__ !== undefined)
      return { termination, says: `__interrupt__ ${result.__interrupt__.length}` };
    const last = result.messages.at(-1);
    return { termination, says: `last message ${last.getType()} ${JSON.stringify(last.content)}` };
  };
  const live = async (answers: readonly Answer[], given: Given = {}): Promise<Lived> => {
    const { config = {}, ours = {} } = given;
    const { termination, result, error } = await withEnding(agentOf(answers, given), [asked, config], ours);
    return words(termination, result, error);
  };
  const error = (status: number, fields: object = {}): readonly Answer[] => [{ error: httpError(status, fields) }];
  const thread = { configurable: { thread_id: 'one' } };
  return { langchain, langgraph, tool, agentOf, asked, words, live, error, thread };
}

type Stage = ReturnType<typeof makeStage>;

function limitScenes({ langchain, langgraph, live, thread }: Stage): FrameworkScenes {
  return {
    natural_end: () => live([searching('a'), { text: 'done' }]),
    step_limit: () => live([searching('a')], { config: { recursionLimit: 4 } }),
    usual_limit: () => live([searching('a')]),
    named_predicate: () => {
      const middleware = [langchain.modelCallLimitMiddleware({ runLimit: 2, exitBehavior: 'end' })];
      return live([searching('a')], { settings: { middleware } });
    },
    loop: () => live([searching('a')], { ours: { stopWhen: [loopDetection()] } }),
    approval: () => {
      const middleware = [langchain.humanInTheLoopMiddleware({ interruptOn: { deploy: true } })];
      const settings = { middleware, checkpointer: new langgraph.MemorySaver() };
      return live([{ call: { name: 'deploy', args: { to: 'prod' } } }], { settings, config: thread });
    },
  };
}

function clientScenes({ langgraph, tool, live, thread }: Stage): FrameworkScenes {
  return {
    client_tool: () => {
      const locate = tool({ name: 'locate', description: 'locate', schema: z.object({ near: z.string() }) });
      const settings = { tools: [locate], checkpointer: new langgraph.MemorySaver() };
      return live([{ call: { name: 'locate', args: { near: 'Bern' } } }], { settings, config: thread });
    },
  };
}

function abortScenes({ tool, live }: Stage): FrameworkScenes {
  return {
    abort_before: () => live([{ text: 'done' }], { config: { signal: AbortSignal.abort('enough') } }),
    abort_in_model: () => {
      const controller = new AbortController();
      const onCall = (): void => void setImmediate(() => controller.abort('enough'));
      return live([{ hangs: true }], { onCall, config: { signal: controller.signal } });
    },
    abort_in_tool: () => {
      const controller = new AbortController();
      const wait = tool(
        async () => {
          controller.abort('enough');
          return 'waited';
        },
        { name: 'wait', description: 'wait', schema: z.object({}) },
      );
      const answers = [{ call: { name: 'wait', args: {} } }, { text: 'done' }];
      return live(answers, { settings: { tools: [wait] }, config: { signal: controller.signal } });
    },
    timeout: () => live([{ hangs: true }], { ours: { stopWhen: [timeout({ run: '50ms' })] } }),
  };
}

function answerScenes({ langgraph, tool, agentOf, asked, words, live, error, thread }: Stage): FrameworkScenes {
  return {
    status_401: () => live(error(401)),
    status_402: () => live(error(402)),
    status_429: () => live(error(429, { headers: { 'retry-after': '2' } })),
    status_500: () => live(error(500)),
    context_overflow: () => live(error(400, { code: 'context_length_exceeded' })),
    length: () => live([{ text: 'Once upon', finish: 'length' }]),
    filter: () => live([{ finish: 'content_filter' }]),
    refusal: () => live([{ refusal: 'I cannot help with that.' }]),
    malformed_call: () => live([{ call: { name: 'search', args: { wrong: true } } }, { text: 'done' }]),
    throwing_tool: () => live([{ call: { name: 'broken', args: {} } }, { text: 'done' }]),
    sub_agent_limit: () => {
      const inner = agentOf([searching('a')], {});
      const ask = tool(async () => String(await inner.invoke(asked, { recursionLimit: 2 })), {
        name: 'ask',
        description: 'ask',
        schema: z.object({}),
      });
      return live([{ call: { name: 'ask', args: {} } }, { text: 'done' }], { settings: { tools: [ask] } });
    },
    interrupt: async () => {
      const { Annotation, END, MemorySaver, START, StateGraph, interrupt } = langgraph;
      const State = Annotation.Root({ choice: Annotation() });
      const graph = new StateGraph(State)
        .addNode('ask', () => ({ choice: interrupt({ question: 'Which one?' }) }))
        .addEdge(START, 'ask')
        .addEdge('ask', END)
        .compile({ checkpointer: new MemorySaver() });
      const { termination, result, error } = await withEnding(graph as AnyModule, [{}, thread]);
      return words(termination, result, error);
    },
    budget: () => live([searching('a')], { ours: { stopWhen: [tokenBudget({ total: 100 })] } }),
    empty_answer: () => live([{}]),
    stream_cut: async () => {
      const agent = agentOf([{ error: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) }], {});
      const { result, ending } = await streamWithEnding(agent as AnyModule, [asked, { streamMode: 'messages' }]);
      const { termination, error: thrown } = await ending;
      return { termination, says: `stream ${result === undefined ? '' : 'begins, then '}${thrownWords(thrown)}` };
    },
  };
}

/** The situations of LangGraph. */
export function langgraphScenes(packages: LangChain): FrameworkScenes {
  const stage = makeStage(packages);
  return { ...limitScenes(stage), ...clientScenes(stage), ...abortScenes(stage), ...answerScenes(stage) };
}
