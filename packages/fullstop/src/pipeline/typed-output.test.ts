import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../agent/define-agent.js';
import { halt } from '../agent/options/directive.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { maxIterations } from '../stop/conditions/max-iterations.js';
import { tokenBudget } from '../stop/conditions/token-budget.js';
import { pipeline } from './index.js';
import { using } from './perform/using.js';

const output = z.object({ score: z.number() });
const usage = { inputTokens: 50, outputTokens: 50 };
const look = { toolCalls: [{ tool: 'look', input: {} }], text: 'raw', usage };

const endings: Readonly<Record<string, { answers: readonly ScriptAnswer[]; options?: object }>> = {
  structured_output_exhausted: { answers: [{ text: 'raw' }, { text: 'raw' }], options: { repair: 1 } },
  schema_validation: { answers: [{ text: 'raw' }], options: { repair: false } },
  max_iterations: { answers: [look], options: { stopWhen: [maxIterations(1)] } },
  token_budget: { answers: [look], options: { stopWhen: [tokenBudget({ total: 10 })] } },
  output_truncated: { answers: [{ text: 'raw', error: 'length' }] },
  agent_refused: { answers: [{ text: 'raw', error: 'refusal' }] },
  provider_failed: { answers: [look, { error: { status: 500 } }], options: { retry: { attempts: 1 } } },
  halted: { answers: [look], options: { tools: { look: { execute: () => halt('no') } } } },
};

const agentOf = ({ answers, options }: (typeof endings)[string]) =>
  defineAgent({
    name: 'rater',
    model: scriptedModel([...answers]),
    tools: { look: { execute: () => 'x' } },
    output,
    ...options,
  });

describe.each(Object.entries(endings))('an agent with an output schema that ends as %s', (kind, script) => {
  it('has no output, but the text', async () => {
    for (const alwaysReplay of [false, true]) {
      const engine = memoryEngine();
      const agent = agentOf(script);
      const result = await agent.run('rate it', { engine, alwaysReplay });
      expect(result.termination.kind).toBe(kind);
      expect(result.output).toBeUndefined();
      expect(result.text).toBe('raw');
      expect((await agent.result(result.runId, { engine }))?.output).toBeUndefined();
      expect(await engine.ending(result.runId)).not.toHaveProperty('output');
    }
  });

  it('has none in a stream either', async () => {
    const result = await agentOf(script).stream('rate it').result;
    expect([result.termination.kind, result.output, result.text]).toEqual([kind, undefined, 'raw']);
  });

  it('has none as a stage that is treated as a success', async () => {
    const result = await pipeline('p')
      .stage(
        'rate',
        using(agentOf(script), () => 'rate it'),
        { treatAsSuccess: () => true },
      )
      .stage('read', ({ rate }) => (rate.output === undefined ? 'nothing' : rate.output.score))
      .run();
    expect(result.stage('rate')).toMatchObject({ outcome: 'succeeded', termination: { kind } });
    expect(result.stage('rate').output).toBeUndefined();
    expect(result.output).toBe('nothing');
  });
});

it('an output that fits stays the output when something else ends the run', async () => {
  const model = scriptedModel([{ output: { score: 7 } }]);
  const result = await defineAgent({ model, output, stopWhen: [maxIterations(1)] }).run('rate it');
  expect(result.output).toEqual({ score: 7 });
});

it('a stage that threw and counts as a success has no output', async () => {
  const fail = (): number => {
    throw new Error('oops');
  };
  const result = await pipeline('p')
    .stage('n', fail, { treatAsSuccess: () => true })
    .run();
  expect(result.stage('n')).toMatchObject({ outcome: 'succeeded' });
  expect(result.stage('n').output).toBeUndefined();
});
