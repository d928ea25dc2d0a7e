import { assertNever } from '../../termination/assert-never.js';
import type { JsonValue } from '../../termination/json.js';
import { type Answer, readAnswer } from '../calls/read-answer.js';
import type { AssistantPart, ProviderOptions, ToolOutput } from '../message.js';
import type { ModelResponse, ModelToolCall } from '../model-response.js';
import type { ScriptAnswer, ScriptPart } from './script.js';
import { toScriptedAnswer } from './scripted-answer.js';
import { isStructuredAnswer } from './structured-answer.js';

/** An answer in the words of a script if they say all of it, else part by part. */
export function recordedAnswer(answer: unknown): ScriptAnswer {
  const response = readAnswer(answer);
  const plain = plainAnswer(response);
  if (playsAs(plain, response)) return plain;
  const { usage, error, finish } = plain;
  return {
    content: (answer as Answer).content.flatMap(scriptPart),
    ...(usage !== undefined && { usage }),
    ...(error !== undefined && { error }),
    ...(finish !== undefined && { finish }),
  };
}

/** True when an answer that is played is the one that was given, part for part. */
function playsAs(answer: ScriptAnswer, response: ModelResponse): boolean {
  const said = ({ text, reasoning, toolCalls, content, sources }: ModelResponse): string =>
    JSON.stringify([text, reasoning, toolCalls, content, sources]);
  return said(readAnswer(toScriptedAnswer(answer, { id: '', modelId: '' }))) === said(response);
}

/** A part as a script has it: read alone, since ids that occur twice are told apart again when it is played. */
function scriptPart(part: unknown): readonly ScriptPart[] {
  const { text, reasoning, toolCalls, content, sources } = readAnswer({ content: [part] });
  const [source] = sources ?? [];
  if (source !== undefined) return [{ type: 'source', ...source }];
  const [said] = content;
  if (said !== undefined) return [assistantPart(said, toolCalls[0])];
  // Blank words are no part of a message, but of the text of an answer.
  if (text !== '') return [{ type: 'text', text }];
  return reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning }];
}

function assistantPart(part: AssistantPart, call: ModelToolCall | undefined): ScriptPart {
  const { type } = part;
  const marks = metadataOf(part);
  switch (type) {
    case 'text':
    case 'reasoning':
      return { type, text: part.text, ...marks };
    case 'file':
      return { type, mediaType: part.mediaType, data: part.data, ...marks };
    case 'tool-call': {
      const { toolName: tool, toolCallId: id, input, providerExecuted } = part;
      const given = call?.invalid === undefined ? { input } : { inputText: call.invalid };
      return { type, tool, ...given, id, ...(providerExecuted === true && { providerExecuted }), ...marks };
    }
    case 'tool-result': {
      const { toolName: tool, toolCallId: id, output } = part;
      const failed = output.type === 'error-json' && { isError: true };
      return { type, tool, id, result: resultOf(output), ...failed, ...marks };
    }
    case 'custom':
      return { type, kind: part.kind, ...marks };
    default:
      return assertNever('Unknown part of an answer', part);
  }
}

/** The value of a result, which is JSON in every answer of a provider. */
function resultOf(output: ToolOutput): JsonValue {
  return 'value' in output ? (output.value as JsonValue) : null;
}

function plainAnswer(response: ModelResponse): ScriptAnswer {
  const { text, content, toolCalls, usage } = response;
  const calls = toolCalls.map(({ id, tool, input, invalid }) => ({
    tool,
    ...(invalid === undefined ? { input } : { inputText: invalid }),
    id,
    ...metadataOf(content.find((part) => part.type === 'tool-call' && part.toolCallId === id)),
  }));
  return {
    ...reasoningOf(response),
    ...((text !== '' || calls.length === 0) && (isStructuredAnswer(content) ? { outputText: text } : { text })),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(usage !== undefined && { usage }),
    ...finishFields(response, calls.length > 0),
  };
}

/** As one text, unless the provider has marked parts of it: a signature must come back with the very thoughts that it signs. */
function reasoningOf({ reasoning, content }: ModelResponse): Pick<ScriptAnswer, 'reasoning'> {
  const parts = content.filter((part) => part.type === 'reasoning');
  if (parts.every(({ providerOptions }) => providerOptions === undefined))
    return reasoning === undefined ? {} : { reasoning };
  return { reasoning: parts.map((part) => ({ text: part.text, ...metadataOf(part) })) };
}

function metadataOf(part: AssistantPart | undefined): { readonly providerMetadata?: ProviderOptions } {
  return part?.providerOptions === undefined ? {} : { providerMetadata: part.providerOptions };
}

type FinishFields = Pick<ScriptAnswer, 'error' | 'finish'>;

function finishFields({ finish, rawFinish }: ModelResponse, hasCalls: boolean): FinishFields {
  if (rawFinish === 'refusal') return { error: 'refusal' };
  if (finish === 'length') return { error: 'length' };
  if (finish === 'content_filter') return { error: 'filter' };
  if (finish === 'tool_calls') return {};
  return finish === 'stop' && !hasCalls ? {} : { finish };
}
