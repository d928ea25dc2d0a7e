import type { Agent } from '../agent/agent.js';
import { defineAgent } from '../agent/define-agent.js';
import type { AnyAgentOptions } from '../agent/options/agent-options.js';
import { requireApproval } from '../agent/tools/tool.js';
import type { Engine } from '../engines/port/engine.js';
import type { ModelMessage } from '../models/message.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';

/** The behaviour of a turn, by the first word that is said in it. */
export const behaviours = ['answer', 'tool', 'fail', 'limit', 'pause', 'cancel'] as const;
export type Behaviour = (typeof behaviours)[number];

/** The roles that a turn adds to the conversation, with what is said in it; undefined where that depends on timing. */
export const rolesOf: Readonly<Record<Behaviour, readonly string[] | undefined>> = {
  answer: ['user', 'assistant'],
  tool: ['user', 'assistant', 'tool', 'assistant'],
  fail: ['user', 'assistant'],
  limit: ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
  pause: ['user', 'assistant', 'tool', 'assistant'],
  cancel: undefined,
};

const inputSchema = { type: 'object', properties: {} };

/** An agent that does as the latest words say, and a model that refuses conversations which strict providers refuse. */
export function obedientAgent(engine: Engine, options: Partial<AnyAgentOptions> = {}, window = 1000): Agent {
  const tools = {
    echo: { inputSchema, execute: () => 'echoed' },
    pay: requireApproval({ inputSchema, execute: () => 'paid' }),
    cancel: {
      inputSchema,
      execute: async () => {
        const { runs } = await engine.list({ state: 'running' });
        for (const { runId } of runs) await engine.cancel(runId, { by: 'caller' });
        return 'cancelled';
      },
    },
  };
  const model = scriptedModel(({ options: { prompt } }) =>
    prompt.length > window ? { error: 'context_length' } : answerTo(prompt as unknown as readonly ModelMessage[]),
  );
  return defineAgent({
    name: 'obedient',
    instructions: 'Obey.',
    retry: { attempts: 1 },
    stopWhen: [maxIterations(2)],
    model,
    tools,
    ...options,
  }) as unknown as Agent;
}

function answerTo(prompt: readonly ModelMessage[]): ScriptAnswer {
  const problem = problemOf(prompt);
  if (problem !== undefined) return { error: { status: 400, message: problem } } as ScriptAnswer;
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  const rounds = prompt.slice(asked).filter(({ role }) => role === 'tool').length;
  const words = textOf(prompt[asked] as ModelMessage);
  const id = `call_${asked}_${rounds}`;
  const call = (...tools: readonly string[]): ScriptAnswer => ({
    toolCalls: tools.map((tool, index) => ({ tool, input: {}, id: `${id}_${index}` })),
  });
  switch (words.split(' ')[0] as Behaviour) {
    case 'tool':
      return rounds === 0 ? call('echo') : { text: `did ${words}` };
    case 'pause':
      return rounds === 0 ? call('pay') : { text: `did ${words}` };
    case 'cancel':
      return rounds === 0 ? call('echo', 'cancel') : { text: `did ${words}` };
    case 'limit':
      return call('echo');
    case 'fail':
      return { error: { status: 401 } };
    case 'answer':
      return { text: `did ${words}` };
  }
}

export function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Why a strict provider refuses a conversation: roles that do not alternate, or calls and results that do not match. */
export function problemOf(prompt: readonly ModelMessage[]): string | undefined {
  const messages = prompt[0]?.role === 'system' ? prompt.slice(1) : prompt;
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]?.role ?? 'assistant';
    const ids = message.role === 'tool' ? message.content.map(({ toolCallId }) => toolCallId) : [];
    const isOrdered = followers[before]?.includes(message.role) === true && message.content.length > 0;
    const isMatched = message.role === 'tool' ? ids.every((id) => open.includes(id)) : open.length === 0;
    if (!isOrdered || !isMatched) return `${message.role} after ${before} at ${index}, calls without results: ${open}`;
    open = message.role === 'tool' ? open.filter((id) => !ids.includes(id)) : callIds(message);
  }
  return open.length > 0 ? `calls without results: ${open}` : undefined;
}

/** Which roles may follow which. */
const followers: Readonly<Record<string, readonly string[]>> = {
  assistant: ['user', 'tool'],
  user: ['assistant'],
  tool: ['assistant', 'tool'],
};

function callIds({ role, content }: ModelMessage): readonly string[] {
  if (role !== 'assistant' || typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
}
