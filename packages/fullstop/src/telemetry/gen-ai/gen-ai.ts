import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { ModelStep, ToolStep } from '../journal/model-step.js';
import type { Instruments } from '../metrics/instruments.js';
import type { SpanOfWork } from '../spans/span-tree.js';
import { genAiProvider } from './gen-ai-provider.js';

// Names as in version 1.41 of the conventions for generative AI, which are in development: hence the version in the option.

/** When something began and ended. */
export interface Timed {
  readonly from: number;
  readonly to: number;
}

/** The span of a call of a tool; with the conventions its name and attributes are theirs. */
export function toolSpan({ tool, failure }: ToolStep, { from, to }: Timed, conventions: boolean): SpanOfWork {
  const error = errorOf(failure);
  if (!conventions) return { name: 'fullstop.tool', from, to, attributes: { 'fullstop.tool': tool }, error };
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
  };
  return { name: `execute_tool ${tool}`, from, to, attributes, error };
}

/** The span of a call of a model; with the conventions its name and attributes are theirs. */
export function modelSpan(step: ModelStep, { from, to }: Timed, conventions: boolean): SpanOfWork {
  const error = errorOf(step.failure);
  const kind = SpanKind.CLIENT;
  if (!conventions) return { name: 'fullstop.model', kind, from, to, attributes: modelAttributes(step), error };
  const name = `chat ${step.asked ?? step.model ?? ''}`.trim();
  return { name, kind, from, to, attributes: chatAttributes(step), error };
}

function errorOf(failure: string | undefined): SpanOfWork['error'] {
  return failure === undefined ? undefined : { type: failure, message: failure };
}

// Filled in one by one: there is a span for every call, and spreads are many times slower.
function modelAttributes({ provider, asked, model, finish, usage }: ModelStep): Attributes {
  const attributes: Attributes = {
    'fullstop.tokens.input': usage.input,
    'fullstop.tokens.output': usage.output,
  };
  const name = model ?? asked;
  if (provider !== undefined) attributes['fullstop.provider'] = provider;
  if (name !== undefined) attributes['fullstop.model'] = name;
  if (finish !== undefined) attributes['fullstop.finish'] = finish;
  return attributes;
}

function chatAttributes({ provider, asked, model, finish, responseId, usage }: ModelStep): Attributes {
  const attributes: Attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': genAiProvider(provider),
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
  };
  if (asked !== undefined) attributes['gen_ai.request.model'] = asked;
  if (model !== undefined) attributes['gen_ai.response.model'] = model;
  if (responseId !== undefined) attributes['gen_ai.response.id'] = responseId;
  if (finish !== undefined) attributes['gen_ai.response.finish_reasons'] = [finish];
  if (usage.cachedInput > 0) attributes['gen_ai.usage.cache_read.input_tokens'] = usage.cachedInput;
  return attributes;
}

/** What the span of an agent says once a model was asked in it. */
export function agentAttributes(name: string, { provider }: ModelStep): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': genAiProvider(provider),
    'gen_ai.agent.name': name,
  };
}

/** Usage and duration of a call of a model. */
export function recordChat({ genAi }: Instruments, step: ModelStep, { from, to }: Timed): void {
  if (genAi === undefined) return;
  const values = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': genAiProvider(step.provider),
    'gen_ai.request.model': step.asked,
    'gen_ai.response.model': step.model,
  };
  const { input, output } = step.usage;
  genAi.duration.record((to - from) / 1000, { ...values, 'error.type': step.failure });
  if (input > 0) genAi.tokens.record(input, { ...values, 'gen_ai.token.type': 'input' });
  if (output > 0) genAi.tokens.record(output, { ...values, 'gen_ai.token.type': 'output' });
}
