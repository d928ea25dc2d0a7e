import { host } from '../../engines/port/host.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import type { ModelVersion, PromptMessage } from '../language-model.js';
import type {
  AssistantPart,
  FileData,
  FilePart,
  ModelMessage,
  TextPart,
  ToolCallPart,
  ToolOutput,
} from '../message.js';

interface Conversion {
  readonly messages: readonly ModelMessage[];
  readonly prompt: PromptMessage[];
  /** The message that the last prompt message was made of. */
  last: ModelMessage | undefined;
}

/** The conversation that a caller converted last, in each version. */
export type KnownPrompts = Partial<Record<ModelVersion, Conversion>>;

const longestCopy = 200;

/**
 * The conversation in the form of the model's version. A list that has grown since the last call is converted only from
 * there on: without that a run of n calls would take n² conversions.
 */
export function toPrompt(
  messages: readonly ModelMessage[],
  version: ModelVersion,
  known: KnownPrompts = {},
): readonly PromptMessage[] {
  let conversion = known[version];
  if (conversion === undefined || !hasOnlyGrown(conversion, messages)) {
    conversion = { messages, prompt: [], last: undefined };
    known[version] = conversion;
  }
  const { prompt } = conversion;
  for (let index = prompt.length; index < messages.length; index += 1) {
    prompt.push(toPromptMessage(messages[index] as ModelMessage, version));
  }
  conversion.last = messages.at(-1);
  // Models and their wrappers may keep what they were called with, so each gets a list of its own, unless the list is so
  // long that the copies would take most of the time: n calls would copy n² messages.
  return prompt.length > longestCopy ? prompt : prompt.slice();
}

/** True for the list that was converted, unless it was changed and not only grew since. */
function hasOnlyGrown({ messages, prompt, last }: Conversion, list: readonly ModelMessage[]): boolean {
  const made = prompt.length;
  return list === messages && list.length >= made && (made === 0 || list[made - 1] === last);
}

/** A message of a version; the message itself wherever it already has that form. */
export function toPromptMessage(message: ModelMessage, version: ModelVersion): PromptMessage {
  const { content } = message;
  if (message.role === 'system') return message;
  if (typeof content === 'string') return { ...message, content: [{ type: 'text', text: content }] };
  const parts: readonly AssistantPart[] = content;
  if (parts.every(isCommon)) return message;
  return { ...message, content: parts.flatMap((part) => toPromptPart(part, version)) };
}

function isCommon(part: AssistantPart): boolean {
  if (part.type === 'tool-result') return part.output.type !== 'content' && part.output.type !== 'execution-denied';
  if (part.type === 'tool-call') return hasUsableInput(part);
  return part.type === 'text' || part.type === 'reasoning';
}

/** Providers refuse a conversation in which arguments are no object, though a model wrote them. Tools of a provider may have a text. */
function hasUsableInput({ input }: ToolCallPart): boolean {
  return isObject(input) || typeof input === 'string';
}

function toPromptPart(part: AssistantPart, version: ModelVersion): readonly object[] {
  switch (part.type) {
    case 'file':
      return [{ ...part, data: toFileData(part.data, version) }];
    case 'tool-result':
      return [{ ...part, output: toOutput(part.output, version) }];
    case 'tool-call':
      return [hasUsableInput(part) ? part : { ...part, input: {} }];
    case 'custom':
      // The older versions have no place for it, and a part they do not know is an error to them.
      return version === 'v4' ? [part] : [];
    default:
      return [part];
  }
}

function toFileData(data: FileData, version: ModelVersion): unknown {
  if (data.type === 'data') return version === 'v4' ? data : data.data;
  const url = toUrl(data.url);
  return version === 'v4' ? { type: 'url', url } : url;
}

function toUrl(url: string): object {
  try {
    return new host.URL(url);
  } catch (error) {
    throw notUrl(url, error);
  }
}

function notUrl(url: string, cause: unknown): FullstopError {
  const message = `A file of a message has the URL ${JSON.stringify(url)}, which is none.`;
  return new FullstopError('INVALID_OPTION', message, { cause });
}

function toOutput(output: ToolOutput, version: ModelVersion): object {
  if (output.type === 'execution-denied' && version === 'v2') {
    return { type: 'error-text', value: output.reason ?? 'The call was denied.' };
  }
  if (output.type !== 'content') return output;
  return { ...output, value: output.value.map((part) => (part.type === 'text' ? part : outputFile[version](part))) };
}

/** A file among the results of a tool has another form in every version. */
const outputFile: Readonly<Record<ModelVersion, (part: FilePart) => object>> = {
  v2: ({ data, mediaType }) =>
    data.type === 'data'
      ? { type: 'media', data: data.data, mediaType }
      : ({ type: 'text', text: data.url } satisfies TextPart),
  v3: ({ data, mediaType, filename, providerOptions }) => {
    const kind = mediaType.startsWith('image/') ? 'image' : 'file';
    const rest = { mediaType, ...(providerOptions !== undefined && { providerOptions }) };
    if (data.type === 'url') return { type: `${kind}-url`, url: data.url, ...rest };
    return {
      type: `${kind}-data`,
      data: data.data,
      ...rest,
      ...(kind === 'file' && filename !== undefined && { filename }),
    };
  },
  v4: (part) => ({ ...part, data: toFileData(part.data, 'v4') }),
};
