import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { ModelStep } from '../journal/model-step.js';
import type { SpanOfWork, Timed } from '../spans/span-tree.js';
import type { GenAiInstruments } from './gen-ai-instruments.js';
import { genAiProvider } from './gen-ai-provider.js';

/** The span of a model call. Given a conversation, its name and attributes are those of the GenAI conventions. */
export function modelSpan(step: ModelStep, { from, to }: Timed, conversation: string | undefined): SpanOfWork {
  const error = step.failure === undefined ? undefined : { type: step.failure, message: step.failure };
  const kind = SpanKind.CLIENT;
  if (conversation === undefined)
    return { name: 'fullstop.model', kind, from, to, attributes: modelAttributes(step), error };
  const name = `chat ${step.asked ?? step.model ?? ''}`.trim();
  return { name, kind, from, to, attributes: chatAttributes(step, conversation), error };
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

function chatAttributes(step: ModelStep, conversation: string): Attributes {
  const { provider, asked, model, finish, responseId, failure, usage } = step;
  const attributes: Attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': genAiProvider(provider),
    'gen_ai.conversation.id': conversation,
    'gen_ai.usage.input_tokens': usage.input,
    'gen_ai.usage.output_tokens': usage.output,
  };
  if (asked !== undefined) attributes['gen_ai.request.model'] = asked;
  if (model !== undefined) attributes['gen_ai.response.model'] = model;
  if (responseId !== undefined) attributes['gen_ai.response.id'] = responseId;
  // A call that failed has no reason of the model to stop; the conventions want this word for it.
  if (finish !== undefined || failure !== undefined) attributes['gen_ai.response.finish_reasons'] = [finish ?? 'error'];
  if (usage.cachedInput > 0) attributes['gen_ai.usage.cache_read.input_tokens'] = usage.cachedInput;
  if (usage.reasoning > 0) attributes['gen_ai.usage.reasoning.output_tokens'] = usage.reasoning;
  return attributes;
}

/** Counts the tokens and the duration of a model call. */
export function recordModelCall(instruments: GenAiInstruments, step: ModelStep, { from, to }: Timed): void {
  const values = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': genAiProvider(step.provider),
    'gen_ai.request.model': step.asked,
    'gen_ai.response.model': step.model,
  };
  instruments.inferenceDuration.record((to - from) / 1000, { ...values, 'error.type': step.failure });
  const { input, output, cachedInput, reasoning } = step.usage;
  // Which of the tokens are text, image or sound is not in the journal.
  const tokens = { ...values, 'gen_ai.token.modality': 'unknown' };
  instruments.inputTokens.add(input, tokens);
  instruments.outputTokens.add(output, tokens);
  if (cachedInput > 0) instruments.cacheReadTokens.add(cachedInput, tokens);
  if (reasoning > 0) instruments.reasoningTokens.add(reasoning, tokens);
}
