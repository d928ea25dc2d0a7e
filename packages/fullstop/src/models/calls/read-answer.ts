import { defaultLimits } from '../../termination/codec/measure.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import type { AssistantPart, ProviderOptions } from '../message.js';
import type { ModelResponse, ModelToolCall } from '../model-response.js';
import { ModelCallError } from './model-call-error.js';
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

/** An answer of any version in our own form. Written out field by field, since it is made for every call. */
export function readAnswer(result: unknown): ModelResponse {
  const answer = checkAnswer(result);
  const parts = new Parts();
  for (const part of answer.content) if (isObject(part)) parts.add(part);
  const { finish, rawFinish } = readFinish(answer.finishReason);
  const usage = readUsage(answer.usage);
  const response = responseOf(parts, { finish, rawFinish, usage });
  addMetadata(response, answer);
  return response;
}

interface HowItEnded {
  readonly finish: ModelResponse['finish'];
  readonly rawFinish: string | undefined;
  readonly usage: ModelResponse['usage'] | undefined;
}

function responseOf(
  { text, reasoning, toolCalls, content }: Parts,
  { finish, rawFinish, usage }: HowItEnded,
): Mutable<ModelResponse> {
  // Most answers have just these; members that are added later lie in a second piece, and a long run keeps very many answers.
  if (reasoning === '' && rawFinish !== undefined && usage !== undefined)
    return { text, toolCalls, finish, content, rawFinish, usage };
  const response: Mutable<ModelResponse> = { text, toolCalls, finish, content };
  if (reasoning !== '') response.reasoning = reasoning;
  if (rawFinish !== undefined) response.rawFinish = rawFinish;
  if (usage !== undefined) response.usage = usage;
  return response;
}

function addMetadata(response: Mutable<ModelResponse>, answer: Answer): void {
  const { modelId, id } = isObject(answer.response) ? answer.response : {};
  if (typeof modelId === 'string') response.modelId = modelId;
  if (typeof id === 'string') response.responseId = id;
  const warnings = readWarnings(answer.warnings);
  if (warnings !== undefined) response.warnings = warnings;
  const providerMetadata = readMetadata(answer.providerMetadata);
  if (providerMetadata !== undefined) response.providerMetadata = providerMetadata;
}

function checkAnswer(result: unknown): Answer {
  if (isObject(result) && Array.isArray(result['content'])) return result as unknown as Answer;
  throw new ModelCallError('MALFORMED_ANSWER', 'The model gave an answer without content.');
}

const none: readonly never[] = [];

/** The list with one more item. Most lists get one, and one that is pushed to has room for sixteen more. */
function withItem<T>(list: readonly T[], item: T): readonly T[] {
  if (list.length === 0) return [item];
  (list as T[]).push(item);
  return list;
}

class Parts {
  text = '';
  reasoning = '';
  toolCalls: readonly ModelToolCall[] = none;
  content: readonly AssistantPart[] = none;

  /** Files and sources are for those who read the answer; nobody sends them back. What is newer than us is left alone. */
  add(part: Fields): void {
    const { type, kind } = part;
    if (type === 'text' || type === 'reasoning') this.#addText(type, part);
    else if (type === 'tool-call') this.#addToolCall(part);
    else if (type === 'tool-result') this.#addToolResult(part);
    else if (type === 'custom' && typeof kind === 'string') this.#say({ type, kind, ...options(part) });
  }

  #say(part: AssistantPart): void {
    this.content = withItem(this.content, part);
  }

  #addText(type: 'text' | 'reasoning', part: Fields): void {
    const text = typeof part['text'] === 'string' ? part['text'] : '';
    const marks = options(part);
    this[type] += text;
    // Providers refuse empty parts, unless they carry something, such as thoughts that only the provider can read.
    if (text !== '' || marks !== undefined) this.#say({ type, text, ...marks });
  }

  #addToolCall(part: Fields): void {
    const { toolCallId: given, toolName } = callNames(part);
    const toolCallId = this.#unused(given);
    const { input, invalid } = readInput(part['input']);
    const providerExecuted = part['providerExecuted'] === true;
    if (!providerExecuted) {
      const call = { id: toolCallId, tool: toolName, input };
      this.toolCalls = withItem(this.toolCalls, invalid === undefined ? call : { ...call, invalid });
    }
    const said = { type: 'tool-call', toolCallId, toolName, input } as const;
    const marks = options(part);
    const isBare = !providerExecuted && marks === undefined;
    this.#say(isBare ? said : { ...said, ...(providerExecuted && { providerExecuted }), ...marks });
  }

  /** Results find their calls by id, so calls of one answer must not share one, though some models use one twice. */
  #unused(given: string): string {
    if (this.toolCalls.length === 0) return given;
    let id = given;
    for (let count = 2; this.toolCalls.some((call) => call.id === id); count += 1) id = `${given}#${count}`;
    return id;
  }

  /** Only tools that the provider runs have a result in an answer. */
  #addToolResult(part: Fields): void {
    if (part['preliminary'] === true) return;
    const type = part['isError'] === true ? 'error-json' : 'json';
    const output = { type, value: toJson(part['result']) ?? null } as const;
    this.#say({ type: 'tool-result', ...callNames(part), output, ...options(part) });
  }
}

function callNames({ toolCallId, toolName }: Fields): { readonly toolCallId: string; readonly toolName: string } {
  if (typeof toolCallId === 'string' && typeof toolName === 'string') return { toolCallId, toolName };
  throw new ModelCallError('MALFORMED_ANSWER', 'The model gave a tool call without an id or without a name.');
}

/** Models write the arguments of a call as JSON text, and nothing at all for a tool without arguments. */
function readInput(input: unknown): Pick<ModelToolCall, 'input' | 'invalid'> {
  if (typeof input !== 'string') return { input: toJson(input) ?? {} };
  if (input.trim() === '') return { input: {} };
  try {
    const value = parsed(input);
    return nestsTooDeep(value, input) ? { input: {}, invalid: input } : { input: value };
  } catch {
    // The text of the model is kept, so that it can be shown.
    return { input: {}, invalid: input };
  }
}

/** Texts whose numbers a journal may not return as they are read: -0, and those so large that they read as infinite. */
const oddNumber = /-0|\d[eE]|\d{309}/;

/** Reads JSON text as whoever reads the journal will see it. */
function parsed(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return oddNumber.test(text) ? (JSON.parse(JSON.stringify(value)) as JsonValue) : value;
}

/** How deep a part of an answer may nest: less than a whole answer may in a journal. */
const deepestPart = defaultLimits.depth - 20;

/** True for what a journal refuses. A short text cannot nest so deep: every level takes two of its characters. */
function nestsTooDeep(value: JsonValue, text: string): boolean {
  return text.length > 2 * deepestPart && isDeeperThan(value, deepestPart);
}

function isDeeperThan(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member: JsonValue) => isDeeperThan(member, levels - 1));
}

/** The marks that a provider put on a part return to it as options of the same name. */
function options(part: Fields): { readonly providerOptions: ProviderOptions } | undefined {
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
