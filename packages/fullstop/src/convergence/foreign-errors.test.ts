import { generateText } from 'ai';
import { expect, test } from 'vitest';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { defineConvergence } from './define-convergence.js';
import { fact } from './facts/fact.js';
import { suggestor } from './options/suggestor.js';

const facts = [fact('question', { text: 'why?' }, { id: 'q' })];

function asking(answer: ScriptAnswer) {
  const asker = suggestor('asker', {
    dependsOn: ['question'],
    execute: async () => {
      await generateText({ model: scriptedModel([answer]) as never, prompt: 'go', maxRetries: 0 });
      return [];
    },
  });
  return defineConvergence({ suggestors: [asker] }).run({ facts });
}

test('a rate limit of generateText inside a suggestor is the provider that failed, with the time to wait', async () => {
  const result = await asking({ error: { status: 429, retryAfter: '2s' } });
  expect(result.termination).toMatchObject({ kind: 'provider_failed', status: 429, retryAfterMs: 2000 });
  expect(result.category).toBe('retryable');
  expect(result.retryAfterMs).toBe(2000);
});

test('a refused key and an empty account are for an operator', async () => {
  expect((await asking({ error: { status: 401 } })).termination).toMatchObject({ kind: 'provider_auth', status: 401 });
  expect((await asking({ error: { status: 402 } })).termination).toMatchObject({ kind: 'provider_quota', status: 402 });
});
