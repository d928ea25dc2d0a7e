import { describe, expect, it } from 'vitest';
import type { ScriptAnswer } from '../models/scripted/script.js';
import { scriptedModel } from '../models/scripted/scripted-model.js';
import { createSecrets } from '../run/secrets/secrets.js';
import { type CompactionHelp, type CompactionStrategy, summarise } from './options/compaction.js';
import { runAgent } from './run-agent.js';

const look = { execute: () => 'a long result' };
const call: ScriptAnswer = { toolCalls: [{ tool: 'look', input: {} }], usage: { inputTokens: 50, outputTokens: 5 } };

const refused = (statusCode: number, message: string): Error =>
  Object.assign(new Error('the client'), {
    name: 'AI_APICallError',
    statusCode,
    url: 'https://models.example/v1?key=1',
    responseHeaders: { 'x-request-id': 'req_7' },
    responseBody: JSON.stringify({ error: { message } }),
  });

/** A run whose compaction asks a model that refuses. */
function compacting(error: unknown, strategy: (own: CompactionStrategy) => CompactionStrategy = (own) => own) {
  const asked = scriptedModel([{ text: 'looked twice' }]);
  const state = { broken: true };
  const answer = async (options: never): Promise<unknown> => {
    if (state.broken) throw error;
    return asked.doGenerate(options);
  };
  const model = Object.assign(Object.create(asked), { doGenerate: answer, doStream: answer }) as typeof asked;
  const run = runAgent({
    model: scriptedModel([call, call, call, { text: 'done' }]),
    tools: { look },
    prompt: 'go',
    retry: { attempts: 1 },
    compaction: { contextWindow: 80, strategies: [strategy(summarise({ keep: 2, model }))] },
    secrets: createSecrets({ KEY: 'sk-12345678' }),
  });
  return { run, state };
}

const wrapped = (own: CompactionStrategy): CompactionStrategy => ({
  name: 'mine',
  compact: async (messages, help: CompactionHelp) => {
    try {
      return await own.compact(messages, help);
    } catch (cause) {
      throw new Error('no summary', { cause });
    }
  },
});

describe('a provider that refuses to summarise', () => {
  it.each([
    [401, 'no such key', 'provider_auth', 'fatal'],
    [402, 'no credit', 'provider_quota', 'fatal'],
    [503, 'overloaded', 'provider_failed', 'retryable'],
    [400, 'Output blocked by content filtering policy', 'agent_refused', 'fatal'],
  ] as const)('with status %i ends the run as one that refuses to answer', async (status, message, kind, category) => {
    for (const strategy of [undefined, wrapped]) {
      const result = await compacting(refused(status, `${message} sk-12345678`), strategy).run;
      const evidence = { status, requestId: 'req_7', url: 'https://models.example/v1' };
      expect(result.termination).toMatchObject({ kind, ...evidence });
      expect(result.category).toBe(category);
      expect(result.summary).toContain(message);
      expect(JSON.stringify([result, await result.journal()])).not.toContain('sk-12345678');
    }
  });

  it('is asked again when the run is resumed', async () => {
    const { run, state } = compacting(refused(503, 'overloaded'));
    const stopped = await run;
    state.broken = false;
    const done = await stopped.resume();
    expect(done).toMatchObject({ termination: { kind: 'natural_end' }, text: 'done' });
    expect(done.messages[1]?.content).toContain('looked twice');
  });

  it('because the request is wrong leaves the compaction to be fixed, with all evidence', async () => {
    const result = await compacting(refused(422, 'not like this')).run;
    expect(result.termination).toMatchObject({
      kind: 'compaction_failed',
      stage: 'summarise',
      error: { data: { status: 422, requestId: 'req_7', url: 'https://models.example/v1' } },
    });
  });
});
