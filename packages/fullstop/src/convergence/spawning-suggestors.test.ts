import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { approve } from '../agent/options/directive.js';
import { requireApproval } from '../agent/tools/tool.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { suggestor } from './options/suggestor.js';

const ask = fact('question', { text: 'why?' }, { id: 'q' });

describe('suggestors that spawn', () => {
  it('run what they use as runs of their own, whose endings and usage are theirs', async () => {
    const usage = { inputTokens: 30, outputTokens: 12 };
    const model = scriptedModel([{ text: 'because', usage }], { exhausted: 'repeat-last' });
    const agent = defineAgent({ name: 'thinker', model });
    const thinker = suggestor('thinker', {
      dependsOn: ['question'],
      use: agent,
      input: () => 'why?',
      propose: ({ output, propose }) => propose('answer', { text: output }),
      spawn: 'queue',
    });
    const engine = memoryEngine();
    const convergence = defineConvergence({ suggestors: [thinker], budgets: { tokens: 1000 } });
    const result = await convergence.run({ facts: [ask] }, { engine });
    expect(result.termination).toEqual({ kind: 'converged', cycles: 1, facts: 2 });
    expect(result.facts.latest('answer')).toMatchObject({ payload: { text: 'because' }, by: 'thinker' });
    expect(result.usage.totalTokens).toBe(42);
    const { runs } = await engine.list({ parentRunId: result.runId });
    expect(runs).toMatchObject([{ name: 'thinker', kind: 'natural_end', parent: { scope: 'thinker' } }]);
    // A worker that was given the convergence alone executes them.
    const worker = engine.worker([convergence]);
    await engine.start({ runId: 'kid', name: 'thinker', version: '1', input: 'why?' });
    expect((await engine.waitForEnding('kid', 1)).output).toBe('because');
    await worker.stop();
  });

  it('pause with the runs that they spawn, and continue when those are answered', async () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'look', id: 'call_1' }] }, { text: 'seen' }]);
    const agent = defineAgent({ name: 'looker', model, tools: { look: requireApproval({ execute: () => 'a cat' }) } });
    const looker = suggestor('looker', {
      dependsOn: ['question'],
      use: agent,
      input: () => 'look',
      propose: ({ output, propose }) => propose('answer', { text: output }),
      spawn: 'queue',
    });
    const engine = memoryEngine();
    const paused = await defineConvergence({ suggestors: [looker] }).run({ facts: [ask] }, { engine });
    expect(paused.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ tool: 'look' }] });
    const [request] = await engine.openRequests(paused.runId);
    const done = await paused.resume({ answers: { [request?.id ?? '']: approve() } });
    expect(done.facts.latest('answer')?.payload).toEqual({ text: 'seen' });
  });

  it('are refused where the way is none, or where nothing can be a run of its own', () => {
    const use = defineAgent({ name: 'thinker', model: scriptedModel([{ text: 'because' }]) });
    const options = { use, input: () => 'why?', propose: () => undefined };
    expect(() => suggestor('thinker', { ...options, spawn: 'thread' as never })).toThrow(
      /suggestor thinker: spawn is "thread"/,
    );
    const inside = { ...use, execute: undefined } as never;
    expect(() => suggestor('thinker', { ...options, use: inside, spawn: 'queue' })).toThrow(
      /suggestor thinker: use is .* a definition that can be a run of its own/,
    );
  });
});
