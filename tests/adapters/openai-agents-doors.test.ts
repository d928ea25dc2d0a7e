import { expect, test } from 'vitest';
import { z } from 'zod';
import { streamWithEnding, withEnding } from '../../packages/fullstop/src/adapters/openai-agents/index.js';
import { loopDetection, tokenBudget } from '../../packages/fullstop/src/index.js';
import { fakeOpenaiApi } from './fakes/openai-api.js';
import { type AnyModule, loadFramework } from './load-framework.js';

const { Agent, handoff, OpenAIProvider, run, Runner, setTracingDisabled, tool } = await loadFramework(
  'openai-agents',
  '@openai/agents',
);
setTracingDisabled(true);

const usage = { requests: 1, inputTokens: 40, outputTokens: 10, totalTokens: 50 };
const details = { inputTokensDetails: [], outputTokensDetails: [] };

/** A model that asks for the same tool for ever; it remembers what it was sent. */
function insisting(name: string, tries = 0) {
  const sent: (readonly object[])[] = [];
  let failures = tries;
  return {
    sent,
    getResponse: async ({ input }: { readonly input: readonly object[] }) => {
      if (failures > 0) {
        failures -= 1;
        throw Object.assign(new Error('overloaded'), { status: 529 });
      }
      sent.push(input);
      const id = `call_${name}_${sent.length}`;
      const call = { type: 'function_call', callId: id, name, status: 'completed', arguments: '{}' };
      return { usage: { ...usage, ...details }, output: [call], responseId: `response_${sent.length}` };
    },
  };
}

const look = tool({ name: 'look', description: 'look', parameters: z.object({}), execute: async () => 'nothing new' });
const ours = { stopWhen: [loopDetection()] };

test('a conversation that the provider keeps is heard whole, though only what is new is sent', async () => {
  const model = insisting('look');
  const agent = new Agent({ name: 'looker', model, tools: [look] });
  const { termination } = await withEnding(run, [agent, 'go', { conversationId: 'kept' }], ours);
  expect(model.sent.at(-1)).toHaveLength(1);
  expect(termination).toMatchObject({ kind: 'loop_detected', repeats: 3 });
});

test('a conversation that is handed to another agent is heard on', async () => {
  const inner = insisting('look');
  const second = new Agent({ name: 'second', model: inner, tools: [look] });
  const first = new Agent({ name: 'first', model: insisting('transfer_to_second'), handoffs: [handoff(second)] });
  const { termination } = await withEnding(run, [first, 'go', { maxTurns: 20 }], ours);
  expect(termination).toMatchObject({ kind: 'loop_detected', repeats: 3, cycle: [{ tool: 'look' }] });
  expect(inner.sent).toHaveLength(3);
});

test("a filter of the caller's own still decides what the model sees", async () => {
  const model = insisting('look');
  const agent = new Agent({ name: 'looker', model, tools: [look] });
  const callModelInputFilter = ({ modelData }: AnyModule) => ({ ...modelData, input: modelData.input.slice(-2) });
  const { termination } = await withEnding(run, [agent, 'go', { callModelInputFilter }], ours);
  expect(model.sent.every(({ length }) => length <= 2)).toBe(true);
  expect(termination).toMatchObject({ kind: 'loop_detected', repeats: 3 });
});

test('a budget that is used up lets no further call of the model begin', async () => {
  const model = insisting('look');
  const agent = new Agent({ name: 'looker', model, tools: [look] });
  const { termination } = await withEnding(run, [agent, 'go'], { stopWhen: [tokenBudget({ total: 100 })] });
  expect(termination).toMatchObject({ kind: 'token_budget', limit: 100, used: 100 });
  expect(model.sent).toHaveLength(2);
});

test('a call that the SDK makes again after a failure is one step', async () => {
  const model = insisting('look', 2);
  const modelSettings = { retry: { maxRetries: 3, policy: () => true, backoff: { initialDelayMs: 1, maxDelayMs: 1 } } };
  const agent = new Agent({ name: 'looker', model, modelSettings, tools: [look] });
  const { termination } = await withEnding(run, [agent, 'go', { maxTurns: 2 }]);
  expect(termination).toMatchObject({ kind: 'max_iterations', limit: 2, used: 2 });
  expect(model.sent).toHaveLength(2);
});

test('a stream of a runner says why its answer ended, though its agent only names the model', async () => {
  const api = await fakeOpenaiApi({ text: 'Once upon', reason: 'length' });
  try {
    const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: api.url, useResponses: false });
    const agent = new Agent({ name: 'teller', model: 'gpt-fake' });
    const { result, ending } = await streamWithEnding(new Runner({ modelProvider }), [agent, 'go', { stream: true }]);
    for await (const _event of result as AsyncIterable<unknown>);
    expect((await ending).termination).toEqual({ kind: 'output_truncated', reason: 'length' });
  } finally {
    await api.close();
  }
});
