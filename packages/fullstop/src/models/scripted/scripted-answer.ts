import type { ScriptAnswer, ScriptUsage } from './script.js';
import { type ScriptedContent, toScriptedContent } from './scripted-content.js';

type Unified = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

type Tokens<TKey extends string> = { readonly [P in TKey]: number | undefined };

interface Usage {
  readonly inputTokens: Tokens<'total' | 'noCache' | 'cacheRead' | 'cacheWrite'>;
  readonly outputTokens: Tokens<'total' | 'text' | 'reasoning'>;
}

/** An answer of a script in the form of specification v3. */
export interface ScriptedAnswer {
  readonly content: ScriptedContent[];
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
  const content = toScriptedContent(answer, place.id);
  const hasCalls = content.some((part) => part.type === 'tool-call' && part.providerExecuted !== true);
  return {
    content,
    finishReason: { unified: finishOf(answer, hasCalls), raw: wordOf(answer) },
    usage: toUsage(answer.usage ?? {}),
    warnings: [],
    response: { id: `response_${place.id}`, modelId: place.modelId },
  };
}

function finishOf({ error, finish }: ScriptAnswer, hasCalls: boolean): Unified {
  if (error === 'length') return 'length';
  if (error === 'filter' || error === 'refusal') return 'content-filter';
  // A word of v4 that v3 does not have; whoever does not know it takes it for `other`.
  if (finish === 'interrupted') return finish as Unified;
  return finish ?? (hasCalls ? 'tool-calls' : 'stop');
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
    ...content.flatMap((part, index) => streamedParts(part, String(index))),
    { type: 'finish', finishReason, usage },
  ];
}

function streamedParts(part: ScriptedContent, id: string): readonly object[] {
  if (part.type === 'tool-call') return callParts(part);
  return part.type === 'text' || part.type === 'reasoning' ? textParts(part, id) : [part];
}

function textParts(part: Extract<ScriptedContent, { readonly text: string }>, id: string): readonly object[] {
  const { type, text, providerMetadata: mark } = part;
  const deltas = text.match(/\S*\s*/g)?.filter((word) => word !== '') ?? [];
  return [
    { type: `${type}-start`, id },
    ...deltas.map((delta) => ({ type: `${type}-delta`, id, delta })),
    { type: `${type}-end`, id, ...(mark !== undefined && { providerMetadata: mark }) },
  ];
}

function callParts(part: Extract<ScriptedContent, { readonly type: 'tool-call' }>): readonly object[] {
  const { toolCallId: id, toolName, input } = part;
  return [
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    part,
  ];
}
