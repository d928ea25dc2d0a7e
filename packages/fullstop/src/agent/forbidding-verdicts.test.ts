import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { using } from '../pipeline/perform/using.js';
import { pipeline } from '../pipeline/pipeline.js';
import { contentMatch } from '../stop/conditions/content-match.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { terminations } from '../termination/terminations.js';
import { defineAgent } from './define-agent.js';
import type { AnyAgentOptions } from './options/agent-options.js';
import { finish, halt, submit } from './options/directive.js';
import { goal } from './options/goal.js';

type Category = 'fatal' | 'paused' | 'capacity';

const anything = { type: 'object' } as const;
const verdict = (category: Category) => stopCondition('policy', () => terminations.custom({ reason: 'no', category }));

interface Way {
  readonly kind: string;
  readonly options: (category: Category) => Omit<AnyAgentOptions, 'model'>;
  readonly model: () => LanguageModel;
}

function answers(first: object): () => LanguageModel {
  return () => scriptedModel([first, { text: 'later' }] as never, { exhausted: 'repeat-last' }) as LanguageModel;
}

/** A provider that pauses its turn after these words. */
function pausing(text: string): () => LanguageModel {
  const answer = {
    content: [{ type: 'text', text }],
    finishReason: { unified: 'stop', raw: 'pause_turn' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  };
  return () =>
    ({
      specificationVersion: 'v3',
      provider: 'test',
      modelId: 'm',
      supportedUrls: {},
      doGenerate: async () => answer,
      doStream: async () => ({ stream: new ReadableStream() }),
    }) as unknown as LanguageModel;
}

const usage = { inputTokens: 10, outputTokens: 10 };
const limit = tokenBudget({ total: 2 });
const done: string[] = [];
const tools = {
  hand_in: { inputSchema: anything, execute: () => submit('x') },
  other: { inputSchema: anything, execute: () => void done.push('other') },
};

/** The ways to a goal at which a verdict has to be asked. */
const ways: Readonly<Record<string, Way>> = {
  'a result that is handed in before another call, with a goal after each call': {
    kind: 'submitted',
    model: answers({ toolCalls: [{ tool: 'hand_in' }, { tool: 'other' }] }),
    options: (category) => ({ tools, goal: goal(() => false, { check: 'tool_call' }), stopWhen: [verdict(category)] }),
  },
  'a final answer with which a hook finishes': {
    kind: 'plugin_requested',
    model: answers({ text: 'here' }),
    options: (category) => ({ hooks: { afterModel: () => finish('enough') }, stopWhen: [verdict(category)] }),
  },
  'an answer with calls with which a hook finishes': {
    kind: 'plugin_requested',
    model: answers({ text: 'here', toolCalls: [{ tool: 'other' }] }),
    options: (category) => ({ tools, hooks: { afterModel: () => finish('enough') }, stopWhen: [verdict(category)] }),
  },
  'a word in an answer with calls that a limit keeps from being made': {
    kind: 'content_matched',
    model: answers({ text: 'the END', toolCalls: [{ tool: 'other' }], usage }),
    options: (category) => ({ tools, stopWhen: [contentMatch('END'), limit, verdict(category)] }),
  },
  'a word in a turn that the provider pauses at a limit': {
    kind: 'content_matched',
    model: pausing('the END'),
    options: (category) => ({ stopWhen: [contentMatch('END'), limit, verdict(category)] }),
  },
};

describe.each(Object.entries(ways))('%s', (_, { kind, options, model }) => {
  it.each(['fatal', 'paused'] as const)('is forbidden by a verdict of category %s', async (category) => {
    done.length = 0;
    const result = await defineAgent({ ...options(category), model: model() } as AnyAgentOptions).run('go');
    expect(result.termination).toMatchObject({ kind: 'custom', category });
    expect(result.also.map((each) => each.kind)).toContain(kind);
    expect(result.output).not.toBe('x');
    expect(done).toEqual([]);
  });

  it('stands over one of category capacity, which is in also', async () => {
    const result = await defineAgent({ ...options('capacity'), model: model() } as AnyAgentOptions).run('go');
    expect(result.termination.kind).toBe(kind);
    expect(result.also.map((each) => each.kind)).toContain('custom');
  });

  it('stands where no verdict says anything', async () => {
    const own = options('fatal');
    const stopWhen = [...[own.stopWhen ?? []].flat().slice(0, -1), stopCondition('policy', () => undefined)];
    const result = await defineAgent({ ...own, stopWhen, model: model() } as AnyAgentOptions).run('go');
    expect(result.termination.kind).toBe(kind);
  });

  it('is asked about once, and the same after every entry at which the process may die', async () => {
    const engine = memoryEngine();
    const make = () => defineAgent({ ...options('fatal'), name: 'agent', model: model() } as AnyAgentOptions);
    const first = await make().run('go', { engine, runId: 'r', alwaysReplay: true });
    const journal = await engine.journal('r');
    for (let length = 1; length < journal.length; length += 1) {
      const again = memoryEngine();
      await again.importRun(journal.slice(0, length));
      await make().resume('r', { engine: again });
      const end = (await again.journal('r')).find(({ type }) => type === 'segment_ended');
      expect([length, end?.data]).toMatchObject([length, { envelope: { termination: first.termination } }]);
    }
  });

  it('keeps its ending where a run of an earlier version had ended with it unasked', async () => {
    const engine = memoryEngine();
    const before = options('fatal');
    const unasked = { ...before, stopWhen: [before.stopWhen ?? []].flat().slice(0, -1) };
    const agent = (given: object) => defineAgent({ ...given, name: 'agent', model: model() } as AnyAgentOptions);
    const first = await agent(unasked).run('go', { engine, runId: 'r' });
    const again = await agent(before).result('r', { engine });
    expect(again?.termination).toEqual(first.termination);
    expect(again?.messages).toEqual(first.messages);
    const journal = await engine.journal('r');
    const other = memoryEngine();
    await other.importRun(journal.slice(0, -1));
    const resumed = await agent(before).resume('r', { engine: other });
    expect(resumed.termination).toEqual(first.termination);
  });
});

describe('a custom condition that throws where it is asked about a goal', () => {
  it('fails the run, and is asked again by a resume, with the goal still there', async () => {
    const engine = memoryEngine();
    let isFirst = true;
    const policy = stopCondition('policy', () => {
      if (!isFirst) return undefined;
      isFirst = false;
      throw new Error('no policy');
    });
    const agent = defineAgent({
      name: 'agent',
      model: scriptedModel([{ text: 'here' }]),
      hooks: { afterModel: () => finish('enough') },
      stopWhen: [policy],
    });
    const first = await agent.run('go', { engine, runId: 'r' });
    expect(first.termination).toMatchObject({ kind: 'failed', error: { message: 'no policy' } });
    expect((await agent.resume('r', { engine })).termination).toMatchObject({ kind: 'plugin_requested' });
  });
});

describe('a verdict that forbids', () => {
  it('loses to a halt of the same answer', async () => {
    const guard = { inputSchema: anything, execute: () => halt('frozen') };
    const { termination } = await defineAgent({
      model: scriptedModel([{ toolCalls: [{ tool: 'hand_in' }, { tool: 'guard' }] }]),
      tools: { ...tools, guard },
      stopWhen: [verdict('fatal')],
    }).run('go');
    expect(termination.kind).toBe('halted');
  });

  it('lets a resume make the calls of the answer that it stood over', async () => {
    done.length = 0;
    let isAllowed = false;
    const policy = stopCondition('policy', () =>
      isAllowed ? undefined : terminations.custom({ reason: 'no', category: 'paused' }),
    );
    const first = await defineAgent({
      model: scriptedModel([{ text: 'now', toolCalls: [{ tool: 'other' }] }, { text: 'later' }]),
      tools,
      hooks: { afterModel: ({ text }) => (text === 'now' ? finish('enough') : undefined) },
      stopWhen: [policy],
    }).run('go');
    expect(first.termination.kind).toBe('custom');
    isAllowed = true;
    const resumed = await first.resume();
    expect(done).toEqual(['other']);
    expect(resumed.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });
});

const Score = z.object({ a: z.number() });

/** The ways to a result that a verdict may forbid, each with the text of its answer. */
const results: Readonly<Record<string, { readonly options: object; readonly answer: object; readonly text: string }>> =
  {
    'an answer that fits a schema': {
      options: { output: Score, repair: false },
      answer: { text: '{"a":1}' },
      text: '{"a":1}',
    },
    'a result that a tool submits': {
      options: { tools, output: Score, repair: false },
      answer: { text: 'here', toolCalls: [{ tool: 'hand_in' }] },
      text: 'here',
    },
    'a text': { options: {}, answer: { text: 'the secret' }, text: 'the secret' },
    'a text with which a hook finishes': {
      options: { hooks: { afterModel: () => finish('enough') } },
      answer: { text: 'the secret' },
      text: 'the secret',
    },
  };

describe.each(Object.entries(results))('%s that a verdict stands over', (_, { options, answer, text }) => {
  const make = (category: Category, later: object = { text: 'no JSON' }) => {
    let isFirst = true;
    const policy = stopCondition('policy', () => {
      if (!isFirst) return undefined;
      isFirst = false;
      return terminations.custom({ reason: 'no', category });
    });
    const model = scriptedModel([answer, later] as never) as LanguageModel;
    return defineAgent({ name: 'agent', ...options, model, stopWhen: [policy] } as AnyAgentOptions);
  };

  it.each(['fatal', 'paused'] as const)('is no output of the run at category %s, and is in text', async (category) => {
    const engine = memoryEngine();
    const result = await make(category).run('go', { engine, runId: 'r', alwaysReplay: true });
    expect(result.termination).toMatchObject({ kind: 'custom', category });
    expect(result.output).toBeUndefined();
    expect(result.text).toBe(text);
    expect((await make(category).result('r', { engine }))?.output).toBeUndefined();
    const streamed = await make(category).stream('go').result;
    expect(streamed.output).toBeUndefined();
  });

  it('is no output after a resume either, where the next answer is another one', async () => {
    const first = await make('fatal').run('go');
    const result = await first.resume();
    expect(result.text).toBe('no JSON');
    expect(result.output).toBe('output' in options ? undefined : 'no JSON');
  });

  it('is no output after a resume that ends before another answer', async () => {
    const first = await make('fatal', { error: 'auth' }).run('go');
    const result = await first.resume();
    expect(result.termination.kind).toBe('provider_auth');
    expect(result.output).toBeUndefined();
  });

  it('does not come to later stages', async () => {
    const result = await pipeline('p')
      .stage(
        's',
        using(make('fatal') as never, () => 'go' as never),
        { treatAsSuccess: () => true },
      )
      .stage('after', ({ s }) => ({ saw: s.output === undefined ? 'nothing' : (s.output as never) }))
      .run(undefined as never);
    expect(result.output).toEqual({ saw: 'nothing' });
  });

  it('makes way for a good answer after a resume', async () => {
    const good = 'output' in options ? { output: { a: 2 } } : { text: 'fine' };
    const result = await (await make('paused', good).run('go')).resume();
    expect(result.output).toEqual('output' in options ? { a: 2 } : 'fine');
  });
});
