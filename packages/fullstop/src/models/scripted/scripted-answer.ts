import type { ScriptAnswer, ScriptReasoning, ScriptToolCall, ScriptUsage } from './script.js';
import { structuredMark } from './structured-answer.js';

/** `never` fits the AI SDK's type of it, which is not read-only. */
type Metadata = Record<string, Record<string, never>>;

/** A part of an answer in the form of specification v3. */
type Content =
  | { readonly type: 'reasoning'; readonly text: string; readonly providerMetadata?: Metadata }
  | { readonly type: 'text'; readonly text: string; readonly providerMetadata?: typeof structuredMark }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: string;
      readonly providerMetadata?: Metadata;
    };

type Unified = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

type Tokens<TKey extends string> = { readonly [P in TKey]: number | undefined };

interface Usage {
  readonly inputTokens: Tokens<'total' | 'noCache' | 'cacheRead' | 'cacheWrite'>;
  readonly outputTokens: Tokens<'total' | 'text' | 'reasoning'>;
}

/** An answer of a script in the form of specification v3. */
export interface ScriptedAnswer {
  readonly content: Content[];
  readonly finishReason: { readonly unified: Unified; readonly raw: string | undefined };
  readonly usage: Usage;
  readonly warnings: never[];
  readonly response: { readonly id: string; readonly modelId: string };
}

/** The answer that arrives, with ids that depend only on its place in the script. */
export function toScriptedAnswer(
  answer: ScriptAnswer,
  place: { readonly id: string; readonly modelId: string },
): ScriptedAnswer {
  const { reasoning, toolCalls = [] } = answer;
  const output = answer.outputText ?? (answer.output === undefined ? undefined : JSON.stringify(answer.output));
  return {
    content: [
      ...reasoningParts(reasoning),
      ...(answer.text === undefined ? [] : [{ type: 'text', text: answer.text } as const]),
      ...(output === undefined ? [] : [outputPart(output)]),
      ...toolCalls.map((call, index) => toToolCall(call, index === 0 ? place.id : `${place.id}_${index + 1}`)),
    ],
    finishReason: { unified: finishOf(answer), raw: wordOf(answer) },
    usage: toUsage(answer.usage ?? {}),
    warnings: [],
    response: { id: `response_${place.id}`, modelId: place.modelId },
  };
}

function reasoningParts(reasoning: ScriptAnswer['reasoning'] = []): readonly Content[] {
  const parts = typeof reasoning === 'string' ? [{ text: reasoning }] : reasoning;
  return parts.map(({ text, providerMetadata }: ScriptReasoning) => ({
    type: 'reasoning',
    text,
    ...(providerMetadata !== undefined && { providerMetadata: providerMetadata as Metadata }),
  }));
}

function outputPart(text: string): Content {
  return { type: 'text', text, ...(text.startsWith('{') && { providerMetadata: structuredMark }) };
}

function toToolCall(call: ScriptToolCall, usualId: string): Content {
  const { tool, input = {}, id, inputText, providerMetadata } = call;
  return {
    type: 'tool-call',
    toolCallId: id ?? usualId,
    toolName: tool,
    input: inputText ?? JSON.stringify(input),
    ...(providerMetadata !== undefined && { providerMetadata: providerMetadata as Metadata }),
  };
}

function finishOf({ error, finish, toolCalls = [] }: ScriptAnswer): Unified {
  if (error === 'length') return 'length';
  if (error === 'filter' || error === 'refusal') return 'content-filter';
  // A word of v4 that v3 does not have; whoever does not know it takes it for `other`.
  if (finish === 'interrupted') return finish as Unified;
  return finish ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop');
}

/** The provider's own word, where a provider without one means something else. */
function wordOf({ error, finish }: ScriptAnswer): string | undefined {
  if (error === 'filter') return 'content_filter';
  if (error === 'refusal') return error;
  return error === undefined && finish === 'other' ? finish : undefined;
}

function toUsage({ inputTokens, outputTokens, reasoningTokens, cachedInputTokens }: ScriptUsage): Usage {
  return {
    inputTokens: { total: inputTokens, noCache: undefined, cacheRead: cachedInputTokens, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
  };
}

/** The same answer as the parts of a stream, a word at a time. */
export function toScriptedParts({ content, finishReason, usage, response }: ScriptedAnswer): readonly object[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', ...response },
    ...content.flatMap((part, index) => (part.type === 'tool-call' ? callParts(part) : textParts(part, String(index)))),
    { type: 'finish', finishReason, usage },
  ];
}

function textParts(part: Extract<Content, { readonly text: string }>, id: string): readonly object[] {
  const { type, text, providerMetadata: mark } = part;
  const deltas = text.match(/\S*\s*/g)?.filter((word) => word !== '') ?? [];
  return [
    { type: `${type}-start`, id },
    ...deltas.map((delta) => ({ type: `${type}-delta`, id, delta })),
    { type: `${type}-end`, id, ...(mark !== undefined && { providerMetadata: mark }) },
  ];
}

function callParts(part: Extract<Content, { readonly type: 'tool-call' }>): readonly object[] {
  const { toolCallId: id, toolName, input } = part;
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    part,
  ];
}
