import { assertNever } from '../../termination/assert-never.js';
import type { ModelSource } from '../model-response.js';
import type { ScriptAnswer, ScriptPart, ScriptToolCall } from './script.js';
import { structuredMark } from './structured-answer.js';

/** `never` fits the AI SDK's type of it, which is not read-only. */
type Metadata = Record<string, Record<string, never>>;

interface Marked {
  readonly providerMetadata?: Metadata;
}

/** In v3 documents have a title; other versions and some providers leave it out. */
type TitledSource =
  | Extract<ModelSource, { readonly sourceType: 'url' }>
  | (Extract<ModelSource, { readonly sourceType: 'document' }> & { readonly title: string });

/** A part of an answer in the form of specification v3. */
export type ScriptedContent = Marked &
  (
    | { readonly type: 'text' | 'reasoning'; readonly text: string }
    | {
        readonly type: 'tool-call';
        readonly toolCallId: string;
        readonly toolName: string;
        readonly input: string;
        readonly providerExecuted?: boolean;
      }
    | {
        readonly type: 'tool-result';
        readonly toolCallId: string;
        readonly toolName: string;
        readonly result: never;
        readonly isError?: boolean;
      }
    | { readonly type: 'file'; readonly mediaType: string; readonly data: string }
    | ({ readonly type: 'source' } & TitledSource)
  );

/** The parts of an answer; calls without an id get one that is made from the place of the answer. */
export function toScriptedContent(answer: ScriptAnswer, place: string): ScriptedContent[] {
  let calls = 0;
  const nextId = (): string => {
    calls += 1;
    return calls === 1 ? place : `${place}_${calls}`;
  };
  return (answer.content ?? partsOf(answer)).map((part) => toContent(part, nextId));
}

function partsOf({ reasoning = [], text, output, outputText, toolCalls = [] }: ScriptAnswer): readonly ScriptPart[] {
  const thoughts = typeof reasoning === 'string' ? [{ text: reasoning }] : reasoning;
  const json = outputText ?? (output === undefined ? undefined : JSON.stringify(output));
  return [
    ...thoughts.map((thought) => ({ type: 'reasoning' as const, ...thought })),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...(json === undefined ? [] : [outputPart(json)]),
    ...toolCalls.map((call) => ({ type: 'tool-call' as const, ...call })),
  ];
}

function outputPart(text: string): ScriptPart {
  return { type: 'text', text, ...(text.startsWith('{') && { providerMetadata: structuredMark }) };
}

function toContent(part: ScriptPart, nextId: () => string): ScriptedContent {
  const { type } = part;
  switch (type) {
    case 'text':
    case 'reasoning':
      return { type, text: part.text, ...marksOf(part) };
    case 'tool-call':
      return toToolCall(part, nextId());
    case 'tool-result': {
      const { id: toolCallId, tool: toolName, result, isError } = part;
      const failed = isError === true && { isError };
      return { type, toolCallId, toolName, result: result as never, ...failed, ...marksOf(part) };
    }
    case 'file': {
      const { mediaType, data } = part;
      // Files with an address are newer than v3, and have the form of v4.
      return { type, mediaType, data: data.type === 'data' ? data.data : (data as never), ...marksOf(part) };
    }
    case 'source':
      return part as { readonly type: 'source' } & TitledSource;
    case 'custom':
      // Newer than v3, too; whoever does not know such parts ignores them.
      return { type, kind: part.kind, ...marksOf(part) } as never;
    default:
      return assertNever('Unknown part of a script', part);
  }
}

function toToolCall(call: ScriptToolCall & { readonly providerExecuted?: boolean }, usualId: string): ScriptedContent {
  const { tool, input = {}, id, inputText, providerExecuted } = call;
  return {
    type: 'tool-call',
    toolCallId: id ?? usualId,
    toolName: tool,
    input: inputText ?? JSON.stringify(input),
    ...(providerExecuted === true && { providerExecuted }),
    ...marksOf(call),
  };
}

function marksOf({ providerMetadata }: { readonly providerMetadata?: object }): Marked {
  return providerMetadata === undefined ? {} : { providerMetadata: providerMetadata as Metadata };
}
