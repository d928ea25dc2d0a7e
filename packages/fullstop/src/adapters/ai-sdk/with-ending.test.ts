import { generateText, stepCountIs, tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { loopDetection } from '../../stop/conditions/loop-detection.js';
import { stopCondition } from '../../stop/conditions/stop-condition.js';
import { terminations } from '../../termination/terminations.js';
import { withEnding } from './with-ending.js';

const tools = {
  search: tool({ inputSchema: z.object({ q: z.string() }), execute: async ({ q }) => `found ${q}` }),
};
const search = (q: string) => ({ toolCalls: [{ tool: 'search', input: { q } }] });

test('a text without calls is a natural end, with the result of the AI SDK untouched', async () => {
  const model = scriptedModel([search('x'), { text: 'done' }]);
  const { termination, result, run } = await withEnding(generateText, {
    model: model as never,
    tools,
    prompt: 'go',
    stopWhen: stepCountIs(5),
  });
  expect(termination).toEqual({ kind: 'natural_end' });
  expect(result?.text).toBe('done');
  expect(result?.steps).toHaveLength(2);
  expect(run.output).toBe('done');
});

test('the step cap is named, with its limit', async () => {
  const model = scriptedModel([search('a'), search('b'), search('c')]);
  const { termination, result } = await withEnding(generateText, {
    model: model as never,
    tools,
    prompt: 'go',
    stopWhen: [stepCountIs(2)],
  });
  expect(termination).toEqual({ kind: 'max_iterations', limit: 2, used: 2, unit: 'step' });
  expect(result?.steps).toHaveLength(2);
});

test('a loop that the AI SDK would not see ends the run, and its partial result is kept', async () => {
  const model = scriptedModel([search('a'), search('a'), search('a'), search('a'), search('a')]);
  const { termination, result, run } = await withEnding(
    generateText,
    { model: model as never, tools, prompt: 'go', stopWhen: stepCountIs(20) },
    { stopWhen: [loopDetection({ repeats: 3 })] },
  );
  expect(termination).toMatchObject({ kind: 'loop_detected', repeats: 3 });
  expect(result?.steps).toHaveLength(3);
  expect(run.resumable).toEqual({ how: 'raise_limit' });
});

test('an answer that a verdict forbids is no output of the run, and stands in the result of the AI SDK', async () => {
  const forbids = stopCondition('policy', () => terminations.custom({ reason: 'no', category: 'fatal' }));
  const { termination, result, run } = await withEnding(
    generateText,
    { model: scriptedModel([{ text: 'the secret' }]) as never, prompt: 'go' },
    { stopWhen: [forbids] },
  );
  expect(termination).toMatchObject({ kind: 'custom', category: 'fatal' });
  expect(result?.text).toBe('the secret');
  expect(run.output).toBeUndefined();
});
