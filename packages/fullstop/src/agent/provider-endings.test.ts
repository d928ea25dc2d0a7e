import { describe, expect, it } from 'vitest';
import type { LanguageModel } from '../models/language-model.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { createSecrets } from '../run/secrets/secrets.js';
import { runAgent } from './run-agent.js';

const prompt = 'go';

/** A model whose client throws this. */
function throwing(error: unknown, times = Number.POSITIVE_INFINITY): LanguageModel {
  const inner = scriptedModel([{ text: 'ok' }]);
  let left = times;
  const fail = async (options: never): Promise<unknown> => {
    left -= 1;
    if (left >= 0) throw error;
    return inner.doGenerate(options);
  };
  return Object.assign(Object.create(inner) as LanguageModel, { doGenerate: fail, doStream: fail });
}

const answered = (statusCode: number, message: string): Error =>
  Object.assign(new Error('the client'), {
    name: 'AI_APICallError',
    statusCode,
    responseHeaders: { 'x-request-id': 'req_7' },
    responseBody: JSON.stringify({ error: { message } }),
  });

describe('the ending after a provider refused', () => {
  it.each([400, 404, 422])('status %i is a failure with status, message and request id', async (status) => {
    const { termination } = await runAgent({ model: throwing(answered(status, 'not like this')), prompt });
    expect(termination).toMatchObject({
      kind: 'failed',
      errorClass: 'configuration',
      error: { message: 'not like this', data: { status, requestId: 'req_7' } },
    });
  });

  it.each([
    [401, 'provider_auth'],
    [403, 'provider_auth'],
    [402, 'provider_quota'],
    [503, 'provider_failed'],
  ] as const)('status %i is %s with all evidence, without secrets', async (status, kind) => {
    for (const onDelta of [undefined, () => undefined]) {
      const result = await runAgent({
        model: throwing(answered(status, 'the key sk-12345678 may not do this')),
        prompt,
        retry: { attempts: 1 },
        secrets: createSecrets({ KEY: 'sk-12345678' }),
        ...(onDelta !== undefined && { onDelta }),
      });
      expect(result.termination).toMatchObject({ kind, status, provider: 'scripted', requestId: 'req_7' });
      expect(result.summary).toContain('may not do this');
      expect(JSON.stringify([result, await result.journal()])).not.toContain('sk-12345678');
    }
  });

  it('a missing key has no status and says what to set', async () => {
    const message = 'OpenAI API key is missing. Pass it using the OPENAI_API_KEY environment variable.';
    const model = throwing(Object.assign(new Error(message), { name: 'AI_LoadAPIKeyError' }));
    const result = await runAgent({ model, prompt });
    expect(result.termination).toEqual({ kind: 'provider_auth', provider: 'scripted', message });
    expect(result.summary).toContain('OPENAI_API_KEY');
  });

  it('an answer that a filter withheld is a refusal by it, and not a mistake in the request', async () => {
    const message = 'Output blocked by content filtering policy';
    const result = await runAgent({ model: throwing(answered(400, message)), prompt });
    const evidence = { status: 400, requestId: 'req_7' };
    const refused = { kind: 'agent_refused', agentId: 'agent', reason: message, by: 'filter', ...evidence };
    expect(result.termination).toEqual(refused);
  });

  it('no credit says what to do', async () => {
    const result = await runAgent({ model: throwing(answered(402, 'no credit')), prompt });
    expect(result).toMatchObject({ category: 'fatal', family: 'error' });
    expect(result.nextAction).toContain('Add credit or raise the quota');
  });
});

describe('an AbortError of the provider itself', () => {
  const abort = (): Error => Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });

  it('is a failed attempt, tried again', async () => {
    const result = await runAgent({ model: throwing(abort(), 1), prompt, retry: { attempts: 2, initialDelayMs: 1 } });
    expect(result.termination).toEqual({ kind: 'natural_end' });
  });

  it('ends as a failure of the provider when it stays', async () => {
    const result = await runAgent({ model: throwing(abort()), prompt, retry: { attempts: 2, initialDelayMs: 1 } });
    expect(result.termination).toMatchObject({ kind: 'provider_failed', attempts: 2 });
  });

  it('is a cancellation when our own signal fired', async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ text: 'late', delay: '5s' }]);
    const running = runAgent({ model, prompt, signal: controller.signal });
    await expect.poll(() => model.used()).toEqual({ '*': 1 });
    controller.abort();
    expect((await running).termination).toMatchObject({ kind: 'cancelled', by: 'caller' });
  });
});
