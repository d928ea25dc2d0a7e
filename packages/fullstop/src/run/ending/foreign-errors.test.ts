import { generateText } from 'ai';
import { expect, test } from 'vitest';
import type { ScriptAnswer } from '../../models/scripted/script.js';
import { scriptedModel } from '../../models/scripted/scripted-model.js';
import { terminations } from '../../termination/terminations.js';
import { defineRun } from '../define-run.js';

function askedInStep(answer: ScriptAnswer) {
  return defineRun({
    name: 'summary',
    run: async (context) => {
      const model = scriptedModel([answer]) as never;
      await context.step('ask', async () => (await generateText({ model, prompt: 'go', maxRetries: 0 })).text);
      return terminations.naturalEnd({});
    },
  }).run(undefined);
}

test('a rate limit of generateText inside a step is the provider that failed, with the time to wait', async () => {
  const result = await askedInStep({ error: { status: 429, retryAfter: '2s' } });
  expect(result.termination).toMatchObject({ kind: 'provider_failed', status: 429, retryAfterMs: 2000, attempts: 1 });
  expect(result.category).toBe('retryable');
  expect(result.retryAfterMs).toBe(2000);
});

test('a refused key and an empty account are for an operator', async () => {
  expect((await askedInStep({ error: { status: 401 } })).termination).toMatchObject({
    kind: 'provider_auth',
    status: 401,
  });
  expect((await askedInStep({ error: { status: 402 } })).termination).toMatchObject({
    kind: 'provider_quota',
    status: 402,
  });
});

test('a prompt that does not fit is too long, and no failure of the step', async () => {
  expect((await askedInStep({ error: 'context_length' })).termination.kind).toBe('prompt_too_long');
});

test('a call outside of any step is classified by the same table', async () => {
  const result = await defineRun({
    name: 'summary',
    run: async () => {
      const model = scriptedModel([{ error: { status: 503 } }]) as never;
      await generateText({ model, prompt: 'go', maxRetries: 0 });
      return terminations.naturalEnd({});
    },
  }).run(undefined);
  expect(result.termination).toMatchObject({ kind: 'provider_failed', status: 503 });
});

test('an error of another service with the same status stays what it is', async () => {
  const result = await defineRun({
    name: 'charge',
    run: async (context) => {
      await context.step('charge', () => {
        throw Object.assign(new Error('Card declined'), { status: 402 });
      });
      return terminations.naturalEnd({});
    },
  }).run(undefined);
  expect(result.termination).toMatchObject({ kind: 'failed', origin: 'step' });
});

test('the meaning survives a replay, because the journal has it', async () => {
  const run = defineRun({
    name: 'summary',
    run: async (context) => {
      await context.step('ask', async () => {
        const model = scriptedModel([{ error: { status: 429 } }]) as never;
        return (await generateText({ model, prompt: 'go', maxRetries: 0 })).text;
      });
      return terminations.naturalEnd({});
    },
  });
  const result = await run.run(undefined, { alwaysReplay: true });
  expect(result.termination).toMatchObject({ kind: 'provider_failed', status: 429 });
});
