import type { Counted, Distributed, Maker } from '../metrics/instrument-maker.js';

type ModelKey = 'gen_ai.operation.name' | 'gen_ai.provider.name';
type ModelName = 'gen_ai.request.model' | 'gen_ai.response.model';
type TokenCounter = Counted<ModelKey | 'gen_ai.token.modality', ModelName>;

/** The instruments of the GenAI conventions. */
export interface GenAiInstruments {
  readonly inferenceDuration: Distributed<ModelKey, ModelName | 'error.type'>;
  readonly inputTokens: TokenCounter;
  readonly outputTokens: TokenCounter;
  readonly cacheReadTokens: TokenCounter;
  readonly reasoningTokens: TokenCounter;
  readonly agentDuration: Distributed<'gen_ai.agent.name', 'error.type'>;
  readonly agentInferenceCalls: Distributed<'gen_ai.agent.name'>;
  readonly agentToolCalls: Distributed<'gen_ai.agent.name'>;
  readonly toolDuration: Distributed<'gen_ai.tool.name' | 'gen_ai.tool.type' | 'gen_ai.agent.name', 'error.type'>;
  readonly workflowDuration: Distributed<'gen_ai.workflow.name', 'error.type'>;
}

// The boundaries are those that the conventions advise.
const callSeconds = powersOfTwo(0.01, 14);
const agentSeconds = powersOfTwo(0.1, 13);
const callCounts = powersOfTwo(1, 8);

function powersOfTwo(first: number, length: number): number[] {
  return Array.from({ length }, (_, power) => first * 2 ** power);
}

export function createGenAiInstruments(make: Maker): GenAiInstruments {
  return {
    ...modelInstruments(make),
    ...agentInstruments(make),
    ...toolInstruments(make),
    ...workflowInstruments(make),
  };
}

type Group<TKey extends keyof GenAiInstruments> = Pick<GenAiInstruments, TKey>;
type ModelInstruments = Group<
  'inferenceDuration' | 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'reasoningTokens'
>;

function modelInstruments(make: Maker): ModelInstruments {
  const names = ['gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.response.model'] as const;
  const keys = ['gen_ai.operation.name', ...names] as const;
  const tokens = { keys: [...keys, 'gen_ai.token.modality'], names } as const;
  const counter = (name: string, description: string): TokenCounter =>
    make.counter(`gen_ai.client.inference.usage.${name}`, tokens, { unit: '{token}', description });
  return {
    inferenceDuration: make.histogram(
      'gen_ai.client.inference.duration',
      { keys: [...keys, 'error.type'], names: [...names, 'error.type'] },
      { unit: 's', description: 'Duration of model calls', advice: { explicitBucketBoundaries: callSeconds } },
    ),
    inputTokens: counter('input_tokens', 'Input tokens of model calls, cached ones included'),
    outputTokens: counter('output_tokens', 'Output tokens of model calls, reasoning included'),
    cacheReadTokens: counter('cache_read.input_tokens', 'Input tokens that came from the cache of a provider'),
    reasoningTokens: counter('reasoning.output_tokens', 'Output tokens that were used for reasoning'),
  };
}

function agentInstruments(make: Maker): Group<'agentDuration' | 'agentInferenceCalls' | 'agentToolCalls'> {
  const names = ['gen_ai.agent.name'] as const;
  const calls = (name: string, unit: string, description: string): Distributed<'gen_ai.agent.name'> =>
    make.histogram(
      `gen_ai.invoke_agent.${name}`,
      { keys: names, names },
      { unit, description, advice: { explicitBucketBoundaries: callCounts } },
    );
  return {
    agentDuration: make.histogram(
      'gen_ai.invoke_agent.duration',
      { keys: [...names, 'error.type'], names: [...names, 'error.type'] },
      { unit: 's', description: 'Duration of agents', advice: { explicitBucketBoundaries: agentSeconds } },
    ),
    agentInferenceCalls: calls('inference_calls', '{inference_call}', 'Model calls of one execution of an agent'),
    agentToolCalls: calls('tool_calls', '{tool_call}', 'Tool calls of one execution of an agent'),
  };
}

function toolInstruments(make: Maker): Group<'toolDuration'> {
  const names = ['gen_ai.agent.name', 'gen_ai.tool.name', 'error.type'] as const;
  return {
    toolDuration: make.histogram(
      'gen_ai.execute_tool.duration',
      { keys: ['gen_ai.tool.type', ...names], names },
      { unit: 's', description: 'Duration of tool calls', advice: { explicitBucketBoundaries: callSeconds } },
    ),
  };
}

function workflowInstruments(make: Maker): Group<'workflowDuration'> {
  const names = ['gen_ai.workflow.name', 'error.type'] as const;
  return {
    workflowDuration: make.histogram(
      'gen_ai.invoke_workflow.duration',
      { keys: names, names },
      { unit: 's', description: 'Duration of workflows', advice: { explicitBucketBoundaries: agentSeconds } },
    ),
  };
}
