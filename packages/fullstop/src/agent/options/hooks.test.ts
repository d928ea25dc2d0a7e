import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { runAgent } from '../run-agent.js';
import { block, finish, halt, inject, transform } from './directive.js';
import type { AgentHooks, IterationView } from './hooks.js';

const echo = { execute: (input: object) => input };

function run(hooks: AgentHooks, alwaysReplay = false) {
  const model = scriptedModel([
    { text: 'hm', toolCalls: [{ tool: 'echo', input: { q: 1 }, id: 'c' }] },
    { text: 'done' },
  ]);
  return runAgent({ model, tools: { echo }, prompt: 'go', hooks, alwaysReplay });
}

const words = (messages: readonly { readonly role: string; readonly content: unknown }[]): readonly unknown[] =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => content);

describe('hooks', () => {
  it('inject messages before an iteration, before the model and after an iteration', async () => {
    for (const alwaysReplay of [false, true]) {
      const result = await run(
        {
          beforeIteration: ({ iteration }) => inject(`start ${iteration}`),
          beforeModel: ({ iteration }) => inject(`ask ${iteration}`),
          afterIteration: ({ iteration }) => inject(`end ${iteration}`),
        },
        alwaysReplay,
      );
      expect(result.termination.kind).toBe('natural_end');
      expect(words(result.messages)).toEqual(['go', 'start 1', 'ask 1', 'end 1', 'start 2', 'ask 2']);
    }
  });

  it('add a message after an answer, which the model sees after the results of its calls', async () => {
    for (const alwaysReplay of [false, true]) {
      const result = await run({ afterModel: ({ iteration }) => inject(`heard ${iteration}`) }, alwaysReplay);
      expect(result.termination.kind).toBe('natural_end');
      expect(result.messages.map(({ role, content }) => (role === 'user' ? content : role))).toEqual([
        'go',
        'assistant',
        'tool',
        'heard 1',
        'assistant',
      ]);
    }
  });

  it('that change the input of a tool leave what it was given in the records, and the conversation alone', async () => {
    const result = await run({ beforeTool: () => transform({ q: 2 }) });
    expect(result.toolCalls).toMatchObject([{ input: { q: 2 }, output: { value: { q: 2 } } }]);
    expect(result.messages[1]).toMatchObject({ content: [{ text: 'hm' }, { type: 'tool-call', input: { q: 1 } }] });
  });

  it.each([
    ['onPrompt', block('X', 'y')],
    ['beforeIteration', transform('x')],
    ['beforeModel', block('X', 'y')],
    ['afterModel', block('X', 'y')],
    ['beforeTool', inject('x')],
    ['afterTool', inject('x')],
    ['afterIteration', transform('x')],
    ['beforeTool', false],
  ] as const)('fail the run when %s says what means nothing there', async (hook, said) => {
    const { termination } = await run({ [hook]: () => said } as AgentHooks);
    expect(termination).toMatchObject({
      kind: 'failed',
      origin: 'hook',
      errorClass: 'configuration',
      error: { message: expect.stringContaining('it may return'), data: { hook: `hooks.${hook}` } },
    });
  });

  it.each([
    ['finish', finish({ done: true } as never), 'the reason of its finish is an object; it must be a text'],
    ['halt', halt(undefined as never), 'the reason of its halt is nothing; it must be a text'],
    ['inject', inject(5 as never), 'the text of its inject is 5; it must be a text'],
  ])('fail the run with a reason when %s is given something else than a text', async (_, said, reason) => {
    const { termination } = await run({ afterIteration: () => said });
    expect(termination).toMatchObject({ kind: 'failed', origin: 'hook', error: { message: reason } });
  });

  it('see the prompt once: transform it, add to it, or keep the run from starting', async () => {
    for (const alwaysReplay of [false, true]) {
      let asked = 0;
      const onPrompt: AgentHooks['onPrompt'] = ({ prompt }) => {
        asked += 1;
        return transform(prompt.toUpperCase());
      };
      const result = await run({ onPrompt }, alwaysReplay);
      expect(result.termination.kind).toBe('natural_end');
      expect(words(result.messages)).toEqual(['GO']);
      expect(asked).toBe(1);
    }
    expect(words((await run({ onPrompt: () => inject('be kind') })).messages)).toEqual(['go', 'be kind']);
    const halted = await run({ onPrompt: () => halt('not allowed') });
    expect(halted.termination).toMatchObject({ kind: 'halted', by: { name: 'hooks.onPrompt' } });
    expect(halted.iterations).toEqual([]);
    // The verdict stands, and the run begins after it.
    expect((await halted.resume()).termination.kind).toBe('natural_end');
  });

  it('guard compaction: deny it, halt before it, and add to what is left', async () => {
    const overflown = (hooks: AgentHooks) =>
      runAgent({
        model: scriptedModel([{ error: 'context_length' }, { text: 'done' }]),
        prompt: 'go',
        compaction: {},
        hooks,
      });
    const injected = await overflown({ afterCompaction: ({ before }) => inject(`there were ${before}`) });
    expect(words(injected.messages)).toEqual(['go', 'there were 1']);
    const halted = await overflown({ beforeCompaction: () => halt('keep it') });
    expect(halted.termination).toMatchObject({ kind: 'halted', by: { name: 'hooks.beforeCompaction' } });
    const hooks: AgentHooks = { beforeCompaction: () => block('NO', 'never') };
    const model = scriptedModel([{ error: 'context_length' }], { exhausted: 'repeat-last' });
    const denied = await runAgent({ model, prompt: 'go', compaction: {}, hooks });
    expect(denied.termination.kind).toBe('prompt_too_long');
  });

  it('transform the input and the result of a tool, and the text of an answer', async () => {
    const result = await run({
      beforeTool: () => transform({ q: 2 }),
      afterTool: ({ result: value }) => transform({ wrapped: value }),
      afterModel: ({ text }) => transform(text.toUpperCase()),
    });
    expect(result.toolCalls[0]?.output).toEqual({ type: 'json', value: { wrapped: { q: 2 } } });
    expect(result.text).toBe('DONE');
  });

  it('see everywhere around the loop where the run is and what it has used', async () => {
    const seen: Record<string, unknown> = {};
    const note = (place: string) => (view: IterationView) => {
      const { iteration, usage, costUsd, messages, runId } = view;
      seen[place] ??= {
        iteration,
        tokens: usage.totalTokens,
        costUsd,
        messages: messages.length,
        isNamed: runId !== '',
      };
      return undefined;
    };
    const model = scriptedModel([
      { text: 'hm', toolCalls: [{ tool: 'echo', input: {} }], usage: { inputTokens: 1_000_000, outputTokens: 0 } },
      { text: 'done', usage: { inputTokens: 1, outputTokens: 1 } },
    ]);
    await runAgent({
      model,
      prices: { [`${model.provider}/${model.modelId}`]: { inputPerMillion: 2, outputPerMillion: 3 } },
      tools: { echo },
      prompt: 'go',
      hooks: {
        beforeIteration: note('beforeIteration'),
        beforeModel: note('beforeModel'),
        afterModel: note('afterModel'),
        beforeTool: note('beforeTool'),
        afterTool: note('afterTool'),
        afterIteration: note('afterIteration'),
      },
    });
    const unspent = { iteration: 1, tokens: 0, costUsd: 0, messages: 1, isNamed: true };
    const answered = { ...unspent, tokens: 1_000_000, costUsd: 2, messages: 2 };
    expect(seen).toEqual({
      beforeIteration: unspent,
      beforeModel: unspent,
      afterModel: unspent,
      beforeTool: answered,
      afterTool: answered,
      afterIteration: { ...answered, messages: 3 },
    });
  });

  it('deny a call, and tell the model', async () => {
    const result = await run({ beforeTool: () => block('READ_ONLY', 'nothing may be changed') });
    expect(result.termination.kind).toBe('natural_end');
    expect(result.toolCalls[0]?.error).toMatchObject({ code: 'READ_ONLY', message: 'nothing may be changed' });
  });

  it.each(['beforeIteration', 'beforeModel', 'afterModel', 'beforeTool', 'afterTool', 'afterIteration'] as const)(
    'halt or finish the run in %s, and fail it with their error when they throw',
    async (hook) => {
      const halted = await run({ name: 'guard', [hook]: () => halt('no') });
      expect(halted.termination).toEqual({ kind: 'halted', by: { type: 'hook', name: `guard.${hook}` }, reason: 'no' });
      const finished = await run({ [hook]: () => finish() });
      expect(finished.termination).toEqual({ kind: 'plugin_requested', plugin: `hooks.${hook}` });
      const thrown = await run({
        [hook]: () => {
          throw Object.assign(new TypeError('oops'), { code: 'E_GUARD', orderId: 4711, details: { tries: [1, 2] } });
        },
      });
      expect(thrown.termination).toMatchObject({
        kind: 'failed',
        origin: 'hook',
        errorClass: 'internal',
        error: {
          name: 'TypeError',
          message: 'oops',
          code: 'E_GUARD',
          data: { orderId: 4711, details: { tries: [1, 2] }, hook: `hooks.${hook}` },
        },
      });
      expect(thrown.summary).toContain('Failed in a hook with TypeError: oops');
    },
  );

  it('are notified of the ending once, and cannot change it', async () => {
    const heard: string[] = [];
    const onEnd: AgentHooks['onEnd'] = ({ termination }) => {
      heard.push(termination.kind);
      throw new Error('ignored');
    };
    for (const alwaysReplay of [false, true])
      expect((await run({ onEnd }, alwaysReplay)).termination.kind).toBe('natural_end');
    expect(heard).toEqual(['natural_end', 'natural_end']);
  });
});
