import { generateText } from 'ai';
import { expect, test } from 'vitest';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { rootCause } from '../termination/root-cause.js';
import { pipeline } from './pipeline.js';

const limited: ScriptAnswer = { error: { status: 429, retryAfter: '2s' } };

async function ask(answer: ScriptAnswer): Promise<string> {
  return (await generateText({ model: scriptedModel([answer]) as never, prompt: 'go', maxRetries: 0 })).text;
}

test('a rate limit of generateText inside a stage is the provider that failed, with the time to wait', async () => {
  const result = await pipeline('p')
    .stage('ask', () => ask(limited))
    .run();
  expect(result.stage('ask').termination).toMatchObject({ kind: 'provider_failed', status: 429, retryAfterMs: 2000 });
  expect(result.termination).toMatchObject({ kind: 'child_failed' });
  expect(result.category).toBe('retryable');
  expect(result.retryAfterMs).toBe(2000);
});

test('the same in a step of a stage, in stages at the same time and in a callback', async () => {
  const inStep = await pipeline('p')
    .stage('ask', (_done, { context }) => context.step('model', () => ask(limited)))
    .run();
  expect(rootCause(inStep.termination)).toMatchObject({ kind: 'provider_failed', status: 429 });
  const before = await pipeline('p')
    .stage('work', () => 1, { before: async () => void (await ask({ error: { status: 401 } })) })
    .run();
  expect(rootCause(before.termination)).toMatchObject({ kind: 'provider_auth', status: 401 });
});

test('a refused key is for an operator, and an error of nobody else stays a failure of the stage', async () => {
  const refused = await pipeline('p')
    .stage('ask', () => ask({ error: { status: 401 } }))
    .run();
  expect(refused.stage('ask').termination).toMatchObject({ kind: 'provider_auth', status: 401 });
  expect(refused.category).toBe('fatal');
  const other = Object.assign(new Error('Too many requests'), { status: 429 });
  const plain = await pipeline('p')
    .stage('ask', () => Promise.reject(other))
    .run();
  expect(plain.stage('ask').termination).toMatchObject({ kind: 'failed', origin: 'stage' });
});
