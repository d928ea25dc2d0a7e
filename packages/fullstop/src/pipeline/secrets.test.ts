import { describe, expect, it } from 'vitest';
import { defineAgent } from '../agent/define-agent.js';
import { agentAsTool } from '../agent/tools/agent-as-tool.js';
import { defineConvergence } from '../convergence/define-convergence.js';
import { suggestor } from '../convergence/options/suggestor.js';
import { memoryEngine } from '../engines/memory/memory-engine.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { createSecrets } from '../run/secrets/secrets.js';
import { loadWorkflow } from '../workflow/load-workflow.js';
import type { StageWork } from './options/stage-work.js';
import { continueOnFailure, fallback, retry, timeout } from './perform/decorators.js';
import { using } from './perform/using.js';
import { pipeline } from './pipeline.js';

const value = 'sk-live-4711-0815';
const secrets = createSecrets({ KEY: value });

const inner = pipeline('inner', { secrets }).stage('tell', () => `the key is ${value}`);
const tells: Readonly<Record<string, () => StageWork<unknown, unknown>>> = {
  'an agent': () => {
    const model = scriptedModel([{ toolCalls: [{ tool: 'key', input: {} }] }, { text: `it is ${value}` }]);
    return using(defineAgent({ name: 'agent', secrets, model, tools: { key: { execute: () => value } } }), () => 'go');
  },
  'an agent that another one has as a tool': () => {
    const model = scriptedModel([{ text: `it is ${value}` }]);
    const told = defineAgent({ name: 'told', secrets, model });
    const asks = scriptedModel([{ toolCalls: [{ tool: 'ask', input: { prompt: 'x' } }] }, { text: 'done' }]);
    return using(defineAgent({ name: 'asks', model: asks, tools: { ask: agentAsTool(told) } }), () => 'go');
  },
  'a pipeline in a pipeline': () =>
    using(
      pipeline('middle').phase('x', (phase) =>
        phase.stage(
          'y',
          using(inner, () => undefined),
        ),
      ),
      () => undefined,
    ),
  'a convergence with its suggestor': () => {
    const teller = suggestor('teller', {
      use: inner,
      input: () => undefined,
      propose: ({ output, propose }) => propose('key', { output }),
    });
    return using(defineConvergence({ suggestors: [teller] }), () => undefined);
  },
  'a workflow with what it takes from the environment': () => {
    const text = `
workflow: {name: w, entry_point: s}
agents: [{name: s, type: set, value: "key \${SERVICE_API_KEY}"}]
output: {v: "{{ s.output }}"}`;
    return using(loadWorkflow('w.yaml', { text, env: { SERVICE_API_KEY: value } }), () => ({}));
  },
};

describe('secrets of what runs in a stage', () => {
  it.each(Object.entries(tells))('are sealed in the journal of the pipeline: %s', async (_, work) => {
    for (const decorate of [
      work,
      () => timeout(work(), '1h'),
      () => retry(work()),
      () => continueOnFailure(work()),
      () => fallback(() => Promise.reject(new Error('no')), work()),
    ]) {
      const engine = memoryEngine();
      const result = await pipeline('p').stage('a', decorate()).run(undefined, { engine, runId: 'r' });
      expect(result.outcome).toBe('succeeded');
      const journal = JSON.stringify(await engine.journal('r'));
      expect(journal).toContain('{{secret:');
      expect(journal).not.toContain(value);
    }
  });

  it('cannot have one name for two values', () => {
    const other = pipeline('other', { secrets: createSecrets({ KEY: 'another-value' }) }).stage('a', () => 1);
    const flow = pipeline('p', { secrets });
    expect(() =>
      flow.stage(
        'a',
        using(other, () => undefined),
      ),
    ).toThrow('Two secrets of one run are named KEY');
  });
});
