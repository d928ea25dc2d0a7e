import { defaultLimits } from '../../termination/codec/measure.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import type { AssistantPart, ProviderOptions } from '../message.js';
import type { ModelResponse, ModelSource, ModelToolCall } from '../model-response.js';
import { ModelCallError } from './model-call-error.js';
import { readFileData } from './read-file-data.js';
import { readFinish } from './read-finish.js';
import { readUsage } from './read-usage.js';
import { readWarnings } from './read-warnings.js';

/** Everything a model said, as it came, streamed or not. */
export interface Answer {
  readonly content: readonly unknown[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly warnings?: unknown;
  readonly providerMetadata?: unknown;
  readonly response?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

type Mutable<T> = { -readonly [P in keyof T]: T[P] };

const none: readonly never[] = [];

/** Reads an answer of any version into our own form. */
export function readAnswer(result: unknown): ModelResponse {
  const answer = result as Answer;
  if (!isObject(result) || !Array.isArray(answer.content)) {
    throw new ModelCallError('MALFORMED_ANSWER', 'The model returned an answer without content.');
  }
  const { finish, rawFinish } = readFinish(answer.finishReason);
  const usage = readUsage(answer.usage);
  // Most answers have just these members; those that are added later lie in a second piece, and a long run keeps very many answers.
  const response: Mutable<ModelResponse> =
    rawFinish !== undefined && usage !== undefined
      ? { text: '', toolCalls: none, finish, content: none, rawFinish, usage }
      : { text: '', toolCalls: none, finish, content: none };
  if (rawFinish !== undefined) response.rawFinish = rawFinish;
  if (usage !== undefined) response.usage = usage;
  for (const part of answer.content) if (isObject(part)) addPart(response, part);
  addMetadata(response, answer);
  return response;
}

function addMetadata(response: Mutable<ModelResponse>, answer: Answer): void {
  const { modelId, id } = isObject(answer.response) ? answer.response : {};
  if (typeof modelId === 'string') response.modelId = modelId;
  if (typeof id === 'string') response.responseId = id;
  if (Array.isArray(answer.warnings) && answer.warnings.length > 0) response.warnings = readWarnings(answer.warnings);
  if (answer.providerMetadata === undefined) return;
  const providerMetadata = readMetadata(answer.providerMetadata);
  if (providerMetadata !== undefined) response.providerMetadata = providerMetadata;
}

/** Adds a part of an answer. Sources are for those who read it and never sent back; parts that are newer than us are ignored. */
function addPart(response: Mutable<ModelResponse>, part: Fields): void {
  const { type, kind } = part;
  if (type === 'text' || type === 'reasoning') addText(response, type, part);
  else if (type === 'tool-call') addToolCall(response, part);
  else if (type === 'tool-result') addToolResult(response, part);
  else if (type === 'file') addFile(response, part);
  else if (type === 'source') addSource(response, part);
  else if (type === 'custom' && typeof kind === 'string') addContent(response, { type, kind, ...optionsOf(part) });
}

/** Most answers have one part, and a list that is pushed to has room for sixteen more. */
function addContent(response: Mutable<ModelResponse>, part: AssistantPart): void {
  if (response.content.length === 0) response.content = [part];
  else (response.content as AssistantPart[]).push(part);
}

function addText(response: Mutable<ModelResponse>, type: 'text' | 'reasoning', part: Fields): void {
  const text = typeof part['text'] === 'string' ? part['text'] : '';
  const marks = optionsOf(part);
  if (text !== '') response[type] = (response[type] ?? '') + text;
  // Providers refuse empty parts, and Anthropic blank ones, unless they carry something, such as thoughts that only the provider can read.
  if (text.trim() !== '' || marks !== undefined) addContent(response, { type, text, ...marks });
}

function addToolCall(response: Mutable<ModelResponse>, part: Fields): void {
  const { toolCallId: given, toolName } = callNames(part);
  const { input, invalid } = readInput(part['input']);
  const calls = response.toolCalls;
  // Results find their calls by id, so calls of one answer must not share one, though some models repeat them.
  let toolCallId = given;
  for (let count = 2; calls.length > 0 && calls.some(({ id }) => id === toolCallId); count += 1)
    toolCallId = `${given}#${count}`;
  const isProviders = part['providerExecuted'] === true;
  if (!isProviders) {
    const call: ModelToolCall =
      invalid === undefined
        ? { id: toolCallId, tool: toolName, input }
        : { id: toolCallId, tool: toolName, input, invalid };
    response.toolCalls = calls.length === 0 ? [call] : [...calls, call];
  }
  const said = { type: 'tool-call', toolCallId, toolName, input } as const;
  const marks = optionsOf(part);
  const isBare = !isProviders && marks === undefined;
  addContent(response, isBare ? said : { ...said, ...(isProviders && { providerExecuted: true }), ...marks });
}

/** Only tools that the provider runs have a result in an answer. */
function addToolResult(response: Mutable<ModelResponse>, part: Fields): void {
  if (part['preliminary'] === true) return;
  const type = part['isError'] === true ? 'error-json' : 'json';
  const output = { type, value: toJson(part['result']) ?? null } as const;
  addContent(response, { type: 'tool-result', ...callNames(part), output, ...optionsOf(part) });
}

/** A file that the model made. Its provider gets it back, as it does its texts. */
function addFile(response: Mutable<ModelResponse>, part: Fields): void {
  const { mediaType } = part;
  const data = readFileData(part);
  if (data === undefined || typeof mediaType !== 'string') return;
  addContent(response, { type: 'file', mediaType, data, ...optionsOf(part) });
}

function addSource(response: Mutable<ModelResponse>, part: Fields): void {
  const source = readSource(part);
  if (source !== undefined) response.sources = [...(response.sources ?? []), source];
}

function readSource({ sourceType, id, url, title, mediaType, filename }: Fields): ModelSource | undefined {
  if (typeof id !== 'string') return undefined;
  const titled = typeof title === 'string' && { title };
  if (sourceType === 'url' && typeof url === 'string') return { sourceType, id, url, ...titled };
  if (sourceType !== 'document' || typeof mediaType !== 'string') return undefined;
  return { sourceType, id, mediaType, ...titled, ...(typeof filename === 'string' && { filename }) };
}

function callNames({ toolCallId, toolName }: Fields): { readonly toolCallId: string; readonly toolName: string } {
  if (typeof toolCallId === 'string' && typeof toolName === 'string') return { toolCallId, toolName };
  throw new ModelCallError('MALFORMED_ANSWER', 'The model returned a tool call without an id or without a name.');
}

/** Models write the arguments of a call as JSON text, and nothing at all for a tool without arguments. */
function readInput(input: unknown): Pick<ModelToolCall, 'input' | 'invalid'> {
  if (typeof input !== 'string') return { input: toJson(input) ?? {} };
  if (input.trim() === '') return { input: {} };
  try {
    const read = JSON.parse(input) as JsonValue;
    // The journal may hold such numbers differently, so everybody sees them as whoever reads it will.
    const value = hasOddNumber(input) ? (JSON.parse(JSON.stringify(read)) as JsonValue) : read;
    return nestsTooDeep(value, input) ? { input: {}, invalid: input } : { input: value };
  } catch {
    // The model's own text is kept, so that it can be shown to it.
    return { input: {}, invalid: input };
  }
}

/** Texts with numbers that a journal may not return as they were read: -0, and those so large that they read as infinite. */
const oddNumber = /-0|\d[eE]|\d{309}/;

/** A short text without "-", "e" and "E" has none: a look at its characters is faster than the pattern, and most arguments are short. */
function hasOddNumber(text: string): boolean {
  if (text.length > 40) return oddNumber.test(text);
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === 0x2d || (code | 0x20) === 0x65) return oddNumber.test(text);
  }
  return false;
}

/** How deep a part of an answer may nest: less than a whole answer may in a journal. */
const deepestPart = defaultLimits.depth - 20;

/** True for a value that a journal refuses. A short text cannot nest so deep: every level takes two of its characters. */
function nestsTooDeep(value: JsonValue, text: string): boolean {
  return text.length > 2 * deepestPart && isDeeperThan(value, deepestPart);
}

function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member: JsonValue) => isDeeperThan(member, levels - 1));
}

/** The marks of a provider on a part return to it as options of the same name. */
function optionsOf(part: Fields): { readonly providerOptions: ProviderOptions } | undefined {
  if (part['providerMetadata'] === undefined) return undefined;
  const metadata = readMetadata(part['providerMetadata']);
  return metadata === undefined ? undefined : { providerOptions: metadata as unknown as ProviderOptions };
}

function readMetadata(metadata: unknown): JsonObject | undefined {
  if (!isObject(metadata) || !Object.values(metadata).some(hasContent)) return undefined;
  const value = toJson(metadata);
  return isObject(value) ? (value as JsonObject) : undefined;
}

function hasContent(value: unknown): boolean {
  return isObject(value) ? Object.keys(value).length > 0 : value !== undefined;
}

/** The JSON of a value from outside; nothing where it has none, since it could not be kept either. */
function toJson(value: unknown): JsonValue | undefined {
  try {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return undefined;
    const copy = JSON.parse(text) as JsonValue;
    return nestsTooDeep(copy, text) ? undefined : copy;
  } catch {
    return undefined;
  }
}
