import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { streamWithEnding, withEnding } from '../../../packages/fullstop/src/adapters/claude-agent-sdk/index.js';
import { loopDetection, timeout, tokenBudget } from '../../../packages/fullstop/src/index.js';
import { type FakeAnswer, type FakeMessagesApi, fakeMessagesApi } from '../fakes/messages-api.js';
import type { AnyModule } from '../load-framework.js';
import { thrownWords } from '../own-words.js';
import type { FrameworkScenes, Lived } from '../situation.js';

export const searching = (q: string): FakeAnswer => ({ call: { name: 'mcp__my__search', input: { q } } });
const deploying: FakeAnswer = { call: { name: 'mcp__my__deploy', input: { to: 'prod' } } };

/** A session of the SDK against a fake of the Messages API: a home of its own, no settings, three tools in this process. */
export function claudeSession(sdk: AnyModule, home: string, url: string, settings: object = {}) {
  const { createSdkMcpServer, tool } = sdk;
  const deployed: string[] = [];
  const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
  const tools = [
    tool('search', 'search', { q: z.string() }, async ({ q }: { readonly q: string }) => text(`found ${q}`)),
    tool('deploy', 'deploy', { to: z.string() }, async ({ to }: { readonly to: string }) => {
      deployed.push(to);
      return text('deployed');
    }),
    tool('broken', 'broken', {}, async () => {
      throw new Error('out of order');
    }),
  ];
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
  };
  const options = {
    model: 'claude-fake-1',
    cwd: home,
    env,
    settingSources: [],
    tools: [],
    systemPrompt: 'Be brief.',
    mcpServers: { my: createSdkMcpServer({ name: 'my', version: '1.0.0', tools }) },
    allowedTools: ['mcp__my__search', 'mcp__my__deploy', 'mcp__my__broken'],
    ...settings,
  };
  return { options, deployed };
}

/** Lets the calls of a tool wait for a person. */
export function deferring(tool: string) {
  const verdict = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'defer' as const } };
  return { PreToolUse: [{ matcher: tool, hooks: [async () => verdict] }] };
}

/** The model asks the user by the tool that the SDK has for it. */
export const asking: FakeAnswer = {
  call: {
    name: 'AskUserQuestion',
    input: {
      questions: [
        {
          question: 'Which one?',
          header: 'Pick',
          multiSelect: false,
          options: [
            { label: 'A', description: 'the first' },
            { label: 'B', description: 'the second' },
          ],
        },
      ],
    },
  },
};

interface Given {
  readonly settings?: object;
  readonly ours?: object;
  readonly onRequest?: (number: number) => void;
  /** Words about what the model was asked. */
  readonly saysBefore?: (requests: FakeMessagesApi['requests']) => string;
}

interface OwnResult {
  readonly subtype: string;
  readonly terminal_reason?: string;
  readonly is_error: boolean;
}

function saysOf(result: OwnResult | undefined, error: unknown): string {
  const words = result && `${result.subtype}${result.is_error ? ' with is_error' : ''}, ${result.terminal_reason}`;
  if (error === undefined) return words ?? 'is not called';
  return words === undefined ? thrownWords(error) : `${words}; ${thrownWords(error)}`;
}

/** The situations of the Claude Agent SDK. */
export function claudeScenes(sdk: AnyModule): FrameworkScenes {
  const live = async (answers: readonly FakeAnswer[], given: Given = {}): Promise<Lived> => {
    const home = mkdtempSync(join(tmpdir(), 'fullstop-claude-'));
    const api = await fakeMessagesApi(answers, given.onRequest);
    try {
      const { options } = claudeSession(sdk, home, api.url, given.settings);
      const { termination, result, error } = await withEnding(sdk.query, { prompt: 'go', options }, given.ours ?? {});
      const words = saysOf(result as OwnResult | undefined, error);
      return {
        termination,
        says: given.saysBefore === undefined ? words : `${given.saysBefore(api.requests)}; ${words}`,
      };
    } finally {
      await api.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    }
  };
  return {
    ...limitScenes(live),
    ...abortScenes(live),
    ...answerScenes(live),
    ...clientScenes(live, sdk),
    stream_cut: () => streamCut(sdk),
  };
}

type Live = (answers: readonly FakeAnswer[], given?: Given) => Promise<Lived>;

function limitScenes(live: Live): FrameworkScenes {
  const enough = {
    PostToolBatch: [{ hooks: [async () => ({ continue: false, stopReason: 'seen enough' })] }],
  };
  return {
    natural_end: () => live([searching('a'), { text: 'done' }]),
    step_limit: () => live([searching('a'), searching('b')], { settings: { maxTurns: 2 } }),
    named_predicate: () => live([searching('a')], { settings: { hooks: enough } }),
    loop: () => live([searching('a')], { ours: { stopWhen: [loopDetection()] } }),
    approval: () => live([deploying], { settings: { hooks: deferring('mcp__my__deploy') } }),
    budget: () => live([searching('a')], { ours: { stopWhen: [tokenBudget({ total: 100 })] } }),
  };
}

function abortScenes(live: Live): FrameworkScenes {
  const aborting = (answer: FakeAnswer, at: number) => (): Promise<Lived> => {
    const abortController = new AbortController();
    const onRequest = (number: number): void => {
      if (number === at) setImmediate(() => abortController.abort('enough'));
    };
    return live([answer], { settings: { abortController }, onRequest });
  };
  return {
    abort_before: () => {
      const abortController = new AbortController();
      abortController.abort('enough');
      return live([{ text: 'done' }], { settings: { abortController } });
    },
    abort_in_model: aborting({ hangs: true }, 1),
    abort_in_tool: () => {
      const abortController = new AbortController();
      const hooks = {
        PostToolUse: [
          {
            hooks: [
              async () => {
                abortController.abort('enough');
                return {};
              },
            ],
          },
        ],
      };
      return live([searching('a')], { settings: { abortController, hooks } });
    },
    timeout: () => live([{ hangs: true }], { ours: { stopWhen: [timeout({ run: '50ms' })] } }),
  };
}

function answerScenes(live: Live): FrameworkScenes {
  const status = (number: number, type: string, message = type): readonly FakeAnswer[] => [
    { status: number, error: { type, message } },
  ];
  return {
    status_401: () => live(status(401, 'authentication_error')),
    status_402: () => live(status(402, 'billing_error')),
    status_429: () => live(status(429, 'rate_limit_error')),
    status_500: () => live(status(500, 'api_error')),
    context_overflow: () =>
      live(status(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')),
    length: () => live([{ text: 'Once upon', stop: 'max_tokens' }]),
    filter: [
      () => live(status(400, 'invalid_request_error', 'Output blocked by content filtering policy')),
      () => live([{ text: 'Once upon', stop: 'content_filter' }]),
    ],
    refusal: () => live([{ text: 'I cannot help with that.', stop: 'refusal' }]),
    malformed_call: () => live([{ call: { name: 'mcp__my__search', input: { wrong: true } } }, { text: 'done' }]),
    throwing_tool: () => live([{ call: { name: 'mcp__my__broken', input: {} } }, { text: 'done' }]),
    sub_agent_limit: () => {
      const call = {
        name: 'Agent',
        input: { description: 'look', prompt: 'Look', subagent_type: 'inner', run_in_background: false },
      };
      const inner = { description: 'looks', prompt: 'Look.', tools: ['mcp__my__search'], maxTurns: 1 };
      const settings = { agents: { inner }, tools: ['Agent'], allowedTools: ['Agent', 'mcp__my__search'] };
      return live([{ call }, searching('a'), { text: 'done' }], { settings });
    },
    empty_answer: () => live([{}]),
  };
}

function clientScenes(live: Live, { createSdkMcpServer, tool }: AnyModule): FrameworkScenes {
  const heardError = (requests: FakeMessagesApi['requests']): string =>
    `the model hears ${JSON.stringify(requests.at(-1)?.messages).includes('"is_error":true') ? 'an error' : 'no error'}`;
  const questions = { tools: ['AskUserQuestion'], allowedTools: [] };
  return {
    usual_limit: () => {
      const turns = Array.from({ length: 30 }, (_, turn) => searching(`${turn}`));
      return live([...turns, { text: 'done' }], { saysBefore: ({ length }) => `${length} turns` });
    },
    client_tool: () => {
      const server = createSdkMcpServer({ name: 'my', version: '1.0.0', tools: [tool('locate', 'locate', {})] });
      const settings = { mcpServers: { my: server }, allowedTools: ['mcp__my__locate'] };
      const answers = [{ call: { name: 'mcp__my__locate', input: {} } }, { text: 'done' }];
      return live(answers, { settings, saysBefore: heardError });
    },
    interrupt: [
      () => {
        const settings = { ...questions, hooks: deferring('AskUserQuestion'), canUseTool: neverAsked };
        return live([asking], { settings });
      },
      () => live([asking, { text: 'done' }], { settings: questions, saysBefore: heardError }),
    ],
  };
}

/** The SDK has its tool for questions only where someone can be asked; a deferred call asks nobody. */
export async function neverAsked(tool: string): Promise<never> {
  throw new Error(`${tool} was asked about, though its call was deferred.`);
}

async function streamCut(sdk: AnyModule): Promise<Lived> {
  const home = mkdtempSync(join(tmpdir(), 'fullstop-claude-'));
  const api = await fakeMessagesApi([{ text: 'Once upon', cut: true }]);
  try {
    const { options } = claudeSession(sdk, home, api.url);
    const { result, ending } = await streamWithEnding(sdk.query, { prompt: 'go', options });
    let thrown: unknown;
    let last: OwnResult | undefined;
    try {
      for await (const message of result as AsyncIterable<AnyModule>) if (message.type === 'result') last = message;
    } catch (error) {
      thrown = error;
    }
    const { termination } = await ending;
    return { termination, says: saysOf(last, thrown) };
  } finally {
    await api.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
