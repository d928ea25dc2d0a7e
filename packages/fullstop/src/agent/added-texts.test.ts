import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { LanguageModel } from '../models/language-model.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { consecutiveMistakes } from '../stop/conditions/consecutive-mistakes.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import type { AgentResult } from './agent.js';
import type { AnyAgentOptions } from './options/agent-options.js';
import { summarise } from './options/compaction.js';
import { halt } from './options/directive.js';
import { runAgent } from './run-agent.js';

/** A scripted model whose word `other` announces calls. */
function announcing(answers: readonly ScriptAnswer[]): LanguageModel {
  const inner = scriptedModel(answers);
  const doGenerate = async (options: never): Promise<unknown> => {
    const answer = (await inner.doGenerate(options)) as { readonly finishReason: { readonly unified: string } };
    const isOther = answer.finishReason.unified === 'other';
    return isOther ? { ...answer, finishReason: { unified: 'tool-calls', raw: undefined } } : answer;
  };
  return Object.assign(Object.create(inner) as LanguageModel, { doGenerate });
}

const run = (answers: readonly ScriptAnswer[], options: Partial<AnyAgentOptions> = {}): Promise<AgentResult> =>
  runAgent({ model: announcing(answers), prompt: 'go', ...options } as never) as unknown as Promise<AgentResult>;

const usage = { inputTokens: 50, outputTokens: 5 };
const call: ScriptAnswer = { toolCalls: [{ tool: 'look', input: {} }], usage };
const tools = { look: { execute: () => 'seen' } };
const announced: ScriptAnswer = { finish: 'other' };

/** A run for each text that the docs name. */
const occasions: Readonly<Record<string, () => Promise<AgentResult>>> = {
  'Your last answer was empty. Answer with a text, or call a tool.': () => run([{ finish: 'stop' }, { text: 'here' }]),
  'Your last answer announced tool calls but contained none. Make the calls, or answer with a text.': () =>
    run([announced, { text: 'here' }]),
  'The answer does not fit the schema: …': () =>
    run([{ output: { a: 'x' } }, { output: { a: 1 } }], { output: z.object({ a: z.number() }) }),
  wrapUp: () =>
    run([call, { text: 'done', usage }], {
      tools,
      wrapUp: 'wrapUp',
      stopWhen: [tokenBudget({ total: 100 }), budgetPressure(0.5)],
    }),
  'Continue.': async () => {
    let times = 0;
    const afterModel = () => {
      times += 1;
      return times === 1 ? halt('wait') : undefined;
    };
    const stopped = await run([{ text: 'one' }, { text: 'two' }], {
      hooks: { afterModel },
      engine: memoryEngine(),
    } as never);
    return stopped.resume();
  },
  'What happened so far, in short: …': () =>
    run([call, call, call, { text: 'looked' }, { text: 'done' }], {
      tools,
      compaction: { contextWindow: 80, strategies: [summarise({ keep: 2 })] },
    }),
};

const documented = (
  readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8').split('<!-- texts of the loop -->')[1] ??
  ''
)
  .split('\n')
  .flatMap((line) => /^\| `([^`]*)`/.exec(line)?.[1] ?? []);

const pattern = (text: string): RegExp =>
  new RegExp(`^${text.replaceAll(/[.*+?^$()|[\]\\{}]/g, '\\$&').replace(/ …$/, '\\s[^]*')}$`);

describe('the texts that the loop adds to a conversation', () => {
  it('are those that the docs name', () => expect(documented).toEqual(Object.keys(occasions)));

  it.each(documented)('say: %s', async (text) => {
    const { messages } = await (occasions[text] as () => Promise<AgentResult>)();
    const added = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(added).toEqual(['go', expect.stringMatching(pattern(text))]);
  });
});

describe('calls that are announced and not given', () => {
  it('are a mistake', async () => {
    const { termination } = await run([announced], { stopWhen: [consecutiveMistakes(1)] });
    expect(termination).toMatchObject({ kind: 'consecutive_mistakes', lastMistake: { problem: 'missing_calls' } });
  });

  it('are asked for once more, although there is a text, which is the answer when it comes again', async () => {
    const words = { ...announced, text: 'Let me look.' };
    const result = await run([words, words]);
    expect(result).toMatchObject({ termination: { kind: 'natural_end' }, text: 'Let me look.' });
    expect(result.iterations).toHaveLength(2);
    const called = await run([words, call, { text: 'seen' }], { tools });
    expect(called).toMatchObject({ termination: { kind: 'natural_end' }, text: 'seen' });
    expect(called.toolCalls).toHaveLength(1);
  });
});
