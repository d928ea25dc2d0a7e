import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { Instruments } from './instruments.js';
import type { AgentStep } from './model-step.js';
import type { SpanOfWork } from './span-tree.js';

// Names as in version 1.41 of the conventions for generative AI, which are in development: hence the version in the option.

/** When something began and ended. */
export interface Timed {
  readonly from: number;
  readonly to: number;
}

/** The journal does not say who serves a model. */
const unknownProvider = 'unknown';

/** The span of a call of a model or a tool; with the conventions its name and attributes are theirs. */
export function spanOfStep(step: AgentStep, { from, to }: Timed, conventions: boolean): SpanOfWork {
  const { failure } = step;
  const error = failure === undefined ? undefined : { type: failure, message: failure };
  if (step.type === 'tool') {
    const attributes = conventions
      ? { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': step.tool, 'gen_ai.tool.type': 'function' }
      : { 'fullstop.tool': step.tool };
    return { name: conventions ? `execute_tool ${step.tool}` : 'fullstop.tool', from, to, attributes, error };
  }
  const name = conventions ? `chat ${step.model ?? ''}`.trim() : 'fullstop.model';
  const attributes = conventions ? chatAttributes(step) : modelAttributes(step);
  return { name, kind: SpanKind.CLIENT, from, to, attributes, error };
}

type ModelStep = Extract<AgentStep, { type: 'model' }>;

function modelAttributes({ model, finish, usage }: ModelStep): Attributes {
  return {
    ...(model !== undefined && { 'fullstop.model': model }),
    ...(finish !== undefined && { 'fullstop.finish': finish }),
    'fullstop.tokens.input': usage.input,
    'fullstop.tokens.output': usage.output,
  };
}

function chatAttributes({ model, finish, responseId, usage }: ModelStep): Attributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': unknownProvider,
    ...(model !== undefined && { 'gen_ai.request.model': model, 'gen_ai.response.model': model }),
    ...(responseId !== undefined && { 'gen_ai.response.id': responseId }),
    ...(finish !== undefined && { 'gen_ai.response.finish_reasons': [finish] }),
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
    ...(usage.cachedInput > 0 && { 'gen_ai.usage.cache_read.input_tokens': usage.cachedInput }),
  };
}

/** What the span of an agent says when it begins and when it ends. */
export function agentAttributes(name: string): Attributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': unknownProvider,
    'gen_ai.agent.name': name,
  };
}

/** Usage and duration of a call of a model. */
export function recordChat(instruments: Instruments, step: ModelStep, { from, to }: Timed): void {
  const { genAi } = instruments;
  if (genAi === undefined) return;
  const values = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': unknownProvider,
    'gen_ai.response.model': step.model ?? 'unknown',
  };
  genAi.duration.record((to - from) / 1000, { ...values, 'error.type': step.failure });
  for (const type of ['input', 'output'] as const) {
    const tokens = step.usage[type];
    if (tokens > 0) genAi.tokens.record(tokens, { ...values, 'gen_ai.token.type': type });
  }
}
