import { generateText, stepCountIs, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { memoryEngine } from '../../engines/memory/memory-engine.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { maxIterations } from '../../stop/conditions/max-iterations.js';
import { tokenBudget } from '../../stop/conditions/token-budget.js';
import { resumeWithEnding, withEnding } from './with-ending.js';

const searching = (q: string) => ({
  toolCalls: [{ tool: 'search', input: { q } }],
  usage: { inputTokens: 40, outputTokens: 10 },
});

function makeTools() {
  const deployed: string[] = [];
  return {
    deployed,
    tools: {
      search: tool({ inputSchema: z.object({ q: z.string() }), execute: async ({ q }) => `found ${q}` }),
      deploy: tool({
        inputSchema: z.object({ to: z.string() }),
        needsApproval: true,
        execute: async ({ to }) => {
          deployed.push(to);
          return 'deployed';
        },
      }),
    },
  };
}

test('an approval continues elsewhere with nothing but the journal, and the tool runs once', async () => {
  const engine = memoryEngine();
  const { tools, deployed } = makeTools();
  const asked = [{ toolCalls: [{ tool: 'deploy', input: { to: 'prod' } }] }];
  const common = { tools, prompt: 'ship it', stopWhen: stepCountIs(5) };
  const first = await withEnding(
    generateText,
    { ...common, model: scriptedModel(asked) as never },
    { engine, runId: 'ship' },
  );
  expect(first.termination).toMatchObject({ kind: 'interaction_pending', requests: [{ tool: 'deploy' }] });
  expect(first.run.resumable).toEqual({ how: 'answer' });
  expect(deployed).toEqual([]);

  const [request] = first.termination.kind === 'interaction_pending' ? first.termination.requests : [];
  const second = await resumeWithEnding(
    generateText,
    { ...common, model: scriptedModel([{ text: 'shipped' }]) as never },
    { engine, runId: 'ship', answers: { [request?.id ?? '']: { decision: 'approve', by: 'maria' } } },
  );
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(second.run.segment).toBe(2);
  expect(deployed).toEqual(['prod']);

  const again = resumeWithEnding(
    generateText,
    { ...common, model: scriptedModel([{ text: 'twice' }]) as never },
    { engine, runId: 'ship', answers: { [request?.id ?? '']: { decision: 'approve' } } },
  );
  await expect(again).rejects.toMatchObject({ code: 'RUN_CLOSED' });
  expect(deployed).toEqual(['prod']);
});

test('a denied approval is told to the model', async () => {
  const { tools, deployed } = makeTools();
  const model = scriptedModel([{ toolCalls: [{ tool: 'deploy', input: { to: 'prod' } }] }, { text: 'then not' }]);
  const options = { model: model as never, tools, prompt: 'ship it', stopWhen: stepCountIs(5) };
  const first = await withEnding(generateText, options);
  const [request] = first.termination.kind === 'interaction_pending' ? first.termination.requests : [];
  const second = await first.run.resume({
    answers: { [request?.id ?? '']: { decision: 'deny', reason: 'not today' } },
  });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  expect(second.result?.text).toBe('then not');
  expect(deployed).toEqual([]);
});

test('a run that reached a limit of ours continues with a larger one, and everything counts on', async () => {
  const { tools } = makeTools();
  const model = scriptedModel([searching('a'), searching('b'), searching('c'), { text: 'done' }]);
  const options = { model: model as never, tools, prompt: 'go', stopWhen: stepCountIs(9) };
  const first = await withEnding(generateText, options, { stopWhen: [maxIterations(2)] });
  expect(first.termination).toEqual({ kind: 'max_iterations', limit: 2, used: 2, unit: 'iteration' });

  await expect(first.run.resume()).rejects.toMatchObject({ code: 'LIMIT_UNCHANGED' });

  const second = await first.run.resume({ stopWhen: [maxIterations(9)] });
  expect(second.termination).toEqual({ kind: 'natural_end' });
  // Only the calls after the limit are made now: the conversation before it comes from the journal.
  expect(second.result?.steps).toHaveLength(2);
  expect(second.run.usage.inputTokens).toBeGreaterThanOrEqual(120);
});

test('a budget stands over all segments', async () => {
  const { tools } = makeTools();
  const model = scriptedModel([searching('a'), searching('b'), searching('c'), searching('d'), { text: 'done' }]);
  const options = { model: model as never, tools, prompt: 'go', stopWhen: stepCountIs(9) };
  const first = await withEnding(generateText, options, { stopWhen: [tokenBudget({ total: 100 })] });
  expect(first.termination).toMatchObject({ kind: 'token_budget', limit: 100, used: 100 });
  const second = await first.run.resume({ stopWhen: [tokenBudget({ total: 150 })] });
  expect(second.termination).toMatchObject({ kind: 'token_budget', limit: 150, used: 150 });
});

test('every step is in the journal, with its observations and its cost', async () => {
  const { tools } = makeTools();
  const model = scriptedModel([searching('a'), { text: 'done', usage: { inputTokens: 1_000_000, outputTokens: 0 } }]);
  const options = { model: model as never, tools, prompt: 'go', stopWhen: stepCountIs(9) };
  const prices = { 'scripted/scripted': { inputPerMillion: 1, outputPerMillion: 0 } };
  const { run } = await withEnding(generateText, options, { prices });
  const journal = await run.journal();
  expect(journal.filter(({ type }) => type === 'step_ended').map(({ key }) => key)).toEqual([
    'turn:1',
    'turn:2',
    'stop:3',
  ]);
  expect(
    journal.filter(({ type }) => type === 'observed').map(({ data }) => (data as { point?: string }).point),
  ).toEqual(['after_response', 'after_tools', 'after_iteration', 'after_response']);
  expect(run.costUsd).toBeCloseTo(1.00004, 5);
});
