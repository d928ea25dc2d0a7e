import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ModelCallOptions } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { budgetPressure } from '../stop/conditions/budget-pressure.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { runAgent } from './run-agent.js';

const output = z.object({ score: z.number() });

describe('structured output', () => {
  it('is reported to the model and repaired by it', async () => {
    const seen: ModelCallOptions[] = [];
    const model = scriptedModel(
      [{ output: { score: 'x' } }, { text: 'not JSON' }, { text: '```json\n{"score":7}\n```' }],
      {
        onCall: ({ options }) => void seen.push(options),
      },
    );
    const result = await runAgent({ model, prompt: 'rate it', output, alwaysReplay: true });
    expect(result.termination).toEqual({ kind: 'natural_end' });
    expect(result.output).toEqual({ score: 7 });
    expect(seen[0]?.responseFormat).toMatchObject({
      type: 'json',
      schema: { properties: { score: { type: 'number' } } },
    });
    expect(result.messages.filter(({ role }) => role === 'user')).toHaveLength(3);
  });

  it('ends as exhausted after the repairs, and may be tried again on resume with more of them', async () => {
    const model = scriptedModel([{ text: 'no' }, { text: 'no' }, { text: 'no' }, { output: { score: 1 } }]);
    const result = await runAgent({ model, prompt: 'rate it', output });
    expect(result.termination).toMatchObject({ kind: 'structured_output_exhausted', attempts: 3 });
    const again = await result.resume({ repair: 3 });
    expect(again.output).toEqual({ score: 1 });
  });

  it('is journalled as JSON, whatever the schema makes of it', async () => {
    const dated = z.object({ day: z.string().transform((text) => new Date(text)) });
    const model = scriptedModel([{ output: { day: '2026-01-02' } }]);
    const result = await runAgent({ model, prompt: 'when?', output: dated });
    expect(result.output).toEqual({ day: '2026-01-02T00:00:00.000Z' });
  });

  it('that no journal can hold fails, and says where', async () => {
    const counted = z.object({ count: z.number().transform((count) => BigInt(count)) });
    const model = scriptedModel([{ output: { count: 1 } }]);
    const result = await runAgent({ model, prompt: 'how many?', output: counted });
    expect(result.termination).toMatchObject({ kind: 'failed', error: { code: 'NOT_JSON' } });
    expect(result.summary).toContain('output.value.count is a bigint');
  });
});

describe('budget pressure', () => {
  const usage = { inputTokens: 20, outputTokens: 20 };
  const stopWhen = [tokenBudget({ total: 100 }), budgetPressure(0.4)];
  const echo = { execute: () => 'x' };

  it('tells the model to wrap up, in one last iteration without tools', async () => {
    const choices: unknown[] = [];
    const model = scriptedModel(
      [
        { toolCalls: [{ tool: 'echo' }], usage },
        { text: 'in short', usage },
      ],
      {
        onCall: ({ options }) => void choices.push(options.toolChoice),
      },
    );
    const result = await runAgent({ model, tools: { echo }, prompt: 'go', stopWhen, wrapUp: 'Wrap up.' });
    expect(result.termination).toEqual({
      kind: 'budget_pressure',
      threshold: 0.4,
      resource: 'tokens',
      finalized: true,
    });
    expect(result.outcome).toBe('succeeded');
    expect(result.output).toBe('in short');
    expect(result.messages.at(-2)).toEqual({ role: 'user', content: 'Wrap up.' });
    expect(choices).toEqual([undefined, { type: 'none' }]);
  });

  it('ends without a final text when the model calls a tool all the same', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'echo' }], usage }], { exhausted: 'repeat-last' });
    const result = await runAgent({ model, tools: { echo }, prompt: 'go', stopWhen });
    expect(result.termination).toMatchObject({ kind: 'budget_pressure', finalized: false });
    expect(result.toolCalls).toHaveLength(2);
  });
});
