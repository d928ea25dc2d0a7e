import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { consecutiveMistakes } from '../stop/conditions/consecutive-mistakes.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { stopCondition } from '../stop/conditions/stop-condition.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { defineTermination } from '../termination/define-termination.js';
import { terminations } from '../termination/terminations.js';
import { defineAgent } from './define-agent.js';
import { goal } from './options/goal.js';
import { submitTool } from './tools/submit-tool.js';

interface Part {
  readonly type: 'text';
  readonly text: string;
}

/** A model that answers these finish reasons in turn, the last one for ever, with or without a text. */
function modelOf(version: string, finishes: readonly unknown[], text: string): LanguageModel {
  let count = 0;
  const next = () => finishes[Math.min(count++, finishes.length - 1)];
  const content: Part[] = text === '' ? [] : [{ type: 'text', text }];
  const tokens =
    version === 'v2' ? { inputTokens: 1, outputTokens: 1 } : { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const parts = () => [
    { type: 'stream-start', warnings: [] },
    ...content.flatMap((part) => [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: part.text },
      { type: 'text-end', id: '0' },
    ]),
    { type: 'finish', finishReason: next(), usage: tokens },
  ];
  return {
    specificationVersion: version,
    provider: 'test',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: async () => ({ content, finishReason: next(), usage: tokens, warnings: [] }),
    doStream: async () => ({ stream: ReadableStream.from(parts()) }),
  } as unknown as LanguageModel;
}

/** The rows of the table in docs/agents.md: spec, unified word, provider's word, ending with a text, ending without one. */
const rows = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8')
  .split('<!-- finish words -->')[1]
  ?.split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );

/** Every row with each specification that it names, with a text and without. */
const trials = (rows ?? []).flatMap(([specs = '', unified = '', raw = '', withText, without]) =>
  specs.split(', ').flatMap((version) => {
    const reason = version === 'v2' ? unified : { unified, raw: raw === '' ? undefined : raw };
    const trial = { version, unified, raw, reason };
    return [
      { ...trial, text: 'words', expected: withText },
      { ...trial, text: '', expected: without },
    ];
  }),
);

describe('the table of finish words', () => {
  it('has all words of the specification', () => {
    const words = new Set(rows?.map(([, unified]) => unified));
    for (const word of ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other', 'unknown', 'interrupted'])
      expect(words).toContain(word);
  });

  describe.each([false, true])('holds (streamed: %s)', (streamed) => {
    it.each(trials)('$version $unified $raw, text "$text": $expected', async ({ version, reason, text, expected }) => {
      const model = modelOf(version, [reason], text);
      const agent = defineAgent({ model, retry: { initialDelayMs: 1 }, stopWhen: [maxIterations(3)] });
      const { termination } = await agent.run('go', streamed ? { onDelta: () => undefined } : {});
      expect(termination.kind).toBe(expected);
    });
  });
});

describe('an answer', () => {
  it('keeps the word of the provider where it is not stop', async () => {
    const { termination } = await defineAgent({ model: modelOf('v3', [{ unified: 'other', raw: 'eos' }], 'yes') }).run(
      'go',
    );
    expect(termination).toEqual({ kind: 'natural_end', finishReason: 'eos' });
  });

  it('is checked whatever the word', async () => {
    const model = modelOf('v2', ['unknown'], '{"a":1}');
    const result = await defineAgent({ model, output: z.object({ a: z.number() }) }).run('go');
    expect(result.termination.kind).toBe('natural_end');
    expect(result.output).toEqual({ a: 1 });
  });

  it('that is empty is told to the model once', async () => {
    const result = await defineAgent({ model: scriptedModel([{ finish: 'stop' }, { text: 'here' }]) }).run('go');
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.messages.map(({ role, content }) => [role, content]).slice(0, 2)).toEqual([
      ['user', 'go'],
      ['user', 'Your last answer was empty. Answer with a text, or call a tool.'],
    ]);
    const silent = await defineAgent({ model: scriptedModel([{ finish: 'stop' }], { exhausted: 'repeat-last' }) }).run(
      'go',
    );
    expect(silent.termination).toEqual({ kind: 'no_answer', attempts: 2 });
    expect((await silent.resume()).termination).toEqual({ kind: 'no_answer', attempts: 2 });
  });

  it('that is empty is a mistake', async () => {
    const model = scriptedModel([{ finish: 'stop' }], { exhausted: 'repeat-last' });
    const { termination } = await defineAgent({ model, stopWhen: [consecutiveMistakes(1)] }).run('go');
    expect(termination).toMatchObject({ kind: 'consecutive_mistakes', lastMistake: { problem: 'no_answer' } });
  });

  it('that is empty does not finalize a run under pressure', async () => {
    const usage = { inputTokens: 60, outputTokens: 0 };
    const model = scriptedModel([
      { toolCalls: [{ tool: 'look' }], usage },
      { finish: 'stop', usage: { inputTokens: 1, outputTokens: 0 } },
    ]);
    const tools = { look: { execute: () => 'x' } };
    const stopWhen = [tokenBudget({ total: 100 }), budgetPressure(0.5)] as const;
    const { termination } = await defineAgent({ model, tools, stopWhen }).run('go');
    expect(termination).toMatchObject({ kind: 'budget_pressure', finalized: false });
  });

  it('that pauses is continued with the conversation, as a round', async () => {
    const model = modelOf(
      'v3',
      [
        { unified: 'stop', raw: 'pause_turn' },
        { unified: 'stop', raw: 'end_turn' },
      ],
      'part',
    );
    const result = await defineAgent({ model, roundsPerIteration: 2 }).run('go');
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(result.iterations).toMatchObject([{ answers: 2 }]);
  });
});

describe('a verdict that forbids the result', () => {
  const pii = defineTermination({ kind: 'app.pii', schema: z.object({}), family: 'validation', category: 'fatal' });
  const verdict = (category: 'fatal' | 'paused' | 'capacity') =>
    stopCondition('policy', () => terminations.custom({ reason: 'no', category }));

  it.each([
    ['fatal', 'custom'],
    ['paused', 'custom'],
    ['capacity', 'natural_end'],
  ] as const)('of category %s ends an answer as %s', async (category, kind) => {
    const result = await defineAgent({ model: scriptedModel([{ text: 'x' }]), stopWhen: [verdict(category)] }).run(
      'go',
    );
    expect(result.termination.kind).toBe(kind);
    expect(result.also.map((each) => each.kind)).toEqual([kind === 'custom' ? 'natural_end' : 'custom']);
  });

  it('stands over a goal and over what is handed in', async () => {
    const stopWhen = [stopCondition('policy', () => pii({}), ['app.pii'])] as const;
    const reached = await defineAgent({
      model: scriptedModel([{ text: 'x' }]),
      stopWhen,
      terminations: [pii],
      goal: goal(() => true),
    }).run('go');
    expect([reached.termination.kind, reached.also.map(({ kind }) => kind)]).toEqual([
      'app.pii',
      ['completed', 'natural_end'],
    ]);
    const handedIn = await defineAgent({
      model: scriptedModel([{ toolCalls: [{ tool: 'submit', input: { a: 1 } }] }]),
      tools: { submit: submitTool() },
      stopWhen,
      terminations: [pii],
    }).run('go');
    expect([handedIn.termination.kind, handedIn.also.map(({ kind }) => kind)]).toEqual(['app.pii', ['submitted']]);
  });
});
