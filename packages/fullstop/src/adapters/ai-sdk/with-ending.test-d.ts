import { generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { costBudget } from '../../stop/conditions/cost-budget.js';
import { streamWithEnding, withEnding } from './with-ending.js';

declare const model: Parameters<typeof generateText>[0]['model'];
const search = tool({ inputSchema: z.object({ q: z.string() }), execute: async ({ q }) => ({ found: q }) });

test('the ending is the union of what these options allow, and no more', async () => {
  const plain = await withEnding(generateText, { model, prompt: 'go' });
  expectTypeOf(plain.termination.kind).toEqualTypeOf<
    | 'abandoned'
    | 'agent_refused'
    | 'cancelled'
    | 'failed'
    | 'indeterminate'
    | 'natural_end'
    | 'no_answer'
    | 'output_truncated'
    | 'prompt_too_long'
    | 'provider_auth'
    | 'provider_failed'
    | 'provider_quota'
  >();
  const limited = await withEnding(generateText, { model, prompt: 'go' }, { stopWhen: [costBudget({ usd: 1 })] });
  expectTypeOf<Extract<typeof limited.termination, { kind: 'cost_budget' }>['limitUsd']>().toEqualTypeOf<number>();
});

test('the result of the AI SDK keeps its types', async () => {
  const { result, termination } = await withEnding(generateText, {
    model,
    prompt: 'go',
    tools: { search },
    stopWhen: stepCountIs(3),
  });
  expectTypeOf(result?.text).toEqualTypeOf<string | undefined>();
  expectTypeOf<Extract<typeof termination, { kind: 'max_iterations' }>['limit']>().toEqualTypeOf<number>();
  const call = result?.staticToolCalls[0];
  expectTypeOf(call?.toolName).toEqualTypeOf<'search' | undefined>();
});

test('a structured output keeps its type', async () => {
  const schema = z.object({ score: z.number() });
  const { result } = await withEnding(generateText, { model, prompt: 'go', output: Output.object({ schema }) });
  expectTypeOf(result?.output).toEqualTypeOf<{ score: number } | undefined>();
});

test('a stream is the own result of streamText', async () => {
  const { result, ending } = await streamWithEnding(streamText, { model, prompt: 'go' });
  expectTypeOf(result.textStream).not.toBeAny();
  expectTypeOf((await ending).termination.kind).toExtend<string>();
});
