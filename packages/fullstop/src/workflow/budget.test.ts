import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { runText } from './workflow.fixture.js';

describe('agents under an enforced budget', () => {
  const priced = 'cost: {pricing: {tiny: {input_per_mtok: 10, output_per_mtok: 20}}}';
  const text = (step: string, cost = priced): string => `
workflow:
  name: w
  entry_point: m
  limits: {budget_usd: 0.03, budget_mode: enforce}
  ${cost}
agents:
  - {name: m, model: tiny, prompt: spend, ${step}routes: [{to: z}]}
  - {name: z, type: set, value: after}
output: {v: "{{ z.output }}"}
`;
  const usage = { inputTokens: 2000, outputTokens: 100 };

  it('count the calls of a validator and of a dialog', async () => {
    const model = scriptedModel({
      m: [{ text: 'draft', usage }],
      'm (validator)': [{ output: { passed: true, issues: [] }, usage }],
    });
    const validated = await runText(text('validator: {criteria: "is short"}, '), { model });
    expect(validated.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.044 });
    const talking = scriptedModel({
      m: [{ text: 'draft', usage }],
      'm (dialog)': [{ output: { trigger: false, reason: '', question: '' }, usage }],
    });
    const talked = await runText(text('dialog: {trigger_prompt: "always"}, '), { model: talking });
    expect(talked.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.044 });
  });

  it('count what is known where one call has no price, and say that the rest is not known', async () => {
    const model = {
      ...scriptedModel({ m: [{ text: 'draft', usage: { inputTokens: 4000, outputTokens: 0 } }] }),
      provider: 'acme',
      modelId: 'tiny',
    };
    const judge = {
      ...scriptedModel([{ output: { passed: true, issues: [] }, usage }]),
      provider: 'acme',
      modelId: 'judge',
    };
    const result = await runText(text('validator: {criteria: "is short", model: judge}, '), {
      models: { tiny: model, judge },
      provider: 'acme',
      allowUnknownPrices: true,
    });
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.04 });
    expect(result.observations).toContainEqual(expect.objectContaining({ type: 'budget_exceeded', unpriced: true }));
  });

  it('refuse a model without a price, also that of a validator, unless that is allowed', async () => {
    const named = (modelId: string) => ({ ...scriptedModel([{ text: 'ok', usage }]), provider: 'acme', modelId });
    const models = { tiny: named('tiny'), judge: named('judge') };
    await expect(runText(text('', ''), { models })).rejects.toMatchObject({ code: 'UNKNOWN_PRICE' });
    const judged = text('validator: {criteria: "is short", model: judge}, ');
    await expect(runText(judged, { models })).rejects.toMatchObject({
      code: 'UNKNOWN_PRICE',
      message: expect.stringContaining('acme/judge'),
    });
    expect((await runText(text('', ''), { models, allowUnknownPrices: true })).output).toEqual({ v: 'after' });
    // A template may name any model: that one is refused at its step.
    const late = text('', '').replace('model: tiny', `model: "{{ 'ti' ~ 'ny' }}"`);
    expect(JSON.stringify((await runText(late, { models })).termination)).toContain('no price for');
  });

  it('stop a step that fails and is led back to for ever', async () => {
    const model = scriptedModel({ m: [{ text: 'not json', usage }] }, { exhausted: 'repeat-last' });
    const result = await runText(
      text(
        'output: {n: {type: number}}, retry: {max_attempts: 1, max_parse_recovery_attempts: 0}, on_error: [{to: m}], ',
      ),
      { model },
    );
    expect(result.termination).toEqual({ kind: 'cost_budget', limitUsd: 0.03, usedUsd: 0.044 });
  });
});
