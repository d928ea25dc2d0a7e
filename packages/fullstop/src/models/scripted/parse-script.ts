import {
  at,
  type Check,
  type CheckContext,
  count,
  flag,
  found,
  httpStatus,
  json,
  listOf,
  oneOf,
  optional,
  shape,
  text,
} from '../../termination/check.js';
import { FullstopError, type ValueIssue } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { FileData, ProviderOptions } from '../message.js';
import type { ModelSource } from '../model-response.js';
import { durationForm, readDuration } from './duration.js';
import {
  type Script,
  type ScriptAnswer,
  type ScriptHttpError,
  type ScriptPart,
  type ScriptReasoning,
  type ScriptThrownError,
  type ScriptToolCall,
  type ScriptUsage,
  scriptErrorWords,
} from './script.js';

/** Makes a check of a function that says what is wrong. */
function rule<T>(expected: string, complaint: (value: unknown, context: Place) => string | undefined): Check<T> {
  return {
    expected,
    levels: 0,
    run(value, path, context) {
      const message = complaint(value, { path, context });
      if (message !== undefined) context.issues.push({ code: 'invalid', path, message });
    },
    cut: (value) => value,
  };
}

interface Place {
  readonly path: string;
  readonly context: CheckContext;
}

const duration: Check<string> = rule(durationForm, (value) =>
  typeof value === 'string' && readDuration(value) !== undefined
    ? undefined
    : `expected ${durationForm}, found ${found(value)}`,
);

const httpError: Check<ScriptHttpError> = shape<ScriptHttpError>({
  status: httpStatus,
  retryAfter: optional(duration),
  message: optional(text),
  code: optional(text),
  retry: optional(flag),
});

const thrownError: Check<ScriptThrownError> = shape<ScriptThrownError>({
  message: text,
  name: optional(text),
  code: optional(text),
});

const words: ReadonlySet<unknown> = new Set(scriptErrorWords);
const errorForm = `a status, such as { status: 429, retryAfter: 2s }, a message, such as { message: broken }, or one of ${scriptErrorWords.join(', ')}`;

const scriptError: Check<NonNullable<ScriptAnswer['error']>> = rule(errorForm, (value, { path, context }) => {
  if (words.has(value)) return undefined;
  if (isObject(value)) {
    const isThrown = value['status'] === undefined && value['message'] !== undefined;
    return void (isThrown ? thrownError : httpError).run(value, path, context);
  }
  const hint = typeof value === 'string' ? suggestion(value, scriptErrorWords) : '';
  return `expected ${errorForm}, found ${found(value)}${hint}`;
});

const plainJson: Check<JsonValue> = {
  ...json,
  run(value, path, context) {
    const message = notJson(value);
    if (message !== undefined) context.issues.push({ code: 'invalid', path, message });
  },
};

function notJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) === undefined ? `expected a JSON value, found ${found(value)}` : undefined;
  } catch (error) {
    return `expected a JSON value: ${toErrorData(error).message}`;
  }
}

const jsonText: Check<string> = rule('JSON text', (value) => {
  if (typeof value !== 'string') return `expected JSON text, found ${found(value)}`;
  try {
    JSON.parse(value);
    return undefined;
  } catch (error) {
    return `expected JSON text: ${toErrorData(error).message}`;
  }
});

const metadata: Check<ProviderOptions> = rule('an object of JSON', (value) =>
  isObject(value) ? notJson(value) : `expected an object, found ${found(value)}`,
);

const reasoningParts: Check<readonly ScriptReasoning[]> = listOf(
  shape<ScriptReasoning>({ text, providerMetadata: optional(metadata) }),
);

const reasoning: Check<NonNullable<ScriptAnswer['reasoning']>> = rule(
  'a text or a list of parts',
  (value, { path, context }) => void (Array.isArray(value) ? reasoningParts : text).run(value, path, context),
);

const toolCallFields = {
  tool: text,
  input: optional(plainJson),
  id: optional(text),
  inputText: optional(text),
  providerMetadata: optional(metadata),
};

const toolCall: Check<ScriptToolCall> = shape<ScriptToolCall>(toolCallFields);

/** One of several forms of a value. */
type Form = Pick<Check<never>, 'run'>;

const fileForms: Record<FileData['type'], Form> = {
  data: shape<FileData & { readonly type: 'data' }>({ type: oneOf('data'), data: text }),
  url: shape<FileData & { readonly type: 'url' }>({ type: oneOf('url'), url: text }),
};

const fileData: Check<FileData> = tagged('type', fileForms);

const marked = { providerMetadata: optional(metadata) };
const said = { text, ...marked };
const titled = { id: text, title: optional(text) };

type Part<TType extends ScriptPart['type']> = Extract<ScriptPart, { readonly type: TType }>;
type Words = Part<'text' | 'reasoning'>;
type Source<TType extends ModelSource['sourceType']> = Extract<Part<'source'>, { readonly sourceType: TType }>;

const sourceForms: Record<ModelSource['sourceType'], Form> = {
  url: shape<Source<'url'>>({ type: oneOf('source'), sourceType: oneOf('url'), url: text, ...titled }),
  document: shape<Source<'document'>>({
    type: oneOf('source'),
    sourceType: oneOf('document'),
    mediaType: text,
    filename: optional(text),
    ...titled,
  }),
};

const partForms: Record<ScriptPart['type'], Form> = {
  text: shape<Words>({ type: oneOf('text', 'reasoning'), ...said }),
  reasoning: shape<Words>({ type: oneOf('text', 'reasoning'), ...said }),
  'tool-call': shape<Part<'tool-call'>>({
    type: oneOf('tool-call'),
    ...toolCallFields,
    providerExecuted: optional(flag),
  }),
  'tool-result': shape<Part<'tool-result'>>({
    type: oneOf('tool-result'),
    tool: text,
    id: text,
    result: plainJson,
    isError: optional(flag),
    ...marked,
  }),
  file: shape<Part<'file'>>({ type: oneOf('file'), mediaType: text, data: fileData, ...marked }),
  source: tagged<Part<'source'>>('sourceType', sourceForms),
  custom: shape<Part<'custom'>>({ type: oneOf('custom'), kind: text, ...marked }),
};

/** Checks an object by the form that one of its fields names. */
function tagged<T>(field: string, forms: Readonly<Record<string, Form>>): Check<T> {
  const names = Object.keys(forms);
  const expected = `an object whose ${field} is one of ${names.join(', ')}`;
  return rule(expected, (value, { path, context }) => {
    if (!isObject(value)) return `expected ${expected}, found ${found(value)}`;
    const name = value[field];
    const form = typeof name === 'string' && Object.hasOwn(forms, name) ? forms[name] : undefined;
    if (form !== undefined) return void form.run(value, path, context);
    const hint = typeof name === 'string' ? suggestion(name, names) : '';
    context.issues.push({
      code: 'invalid',
      path: at(path, field),
      message: `expected one of ${names.join(', ')}, found ${found(name)}${hint}`,
    });
    return undefined;
  });
}

const usage: Check<ScriptUsage> = shape<ScriptUsage>({
  inputTokens: optional(count),
  outputTokens: optional(count),
  reasoningTokens: optional(count),
  cachedInputTokens: optional(count),
});

const answerShape: Check<ScriptAnswer> = shape<ScriptAnswer>({
  text: optional(text),
  output: optional(plainJson),
  outputText: optional(jsonText),
  reasoning: optional(reasoning),
  toolCalls: optional(listOf(toolCall)),
  content: optional(listOf(tagged<ScriptPart>('type', partForms))),
  usage: optional(usage),
  delay: optional(duration),
  error: optional(scriptError),
  finish: optional(oneOf('stop', 'other', 'error', 'interrupted')),
});

const says = ['text', 'output', 'outputText', 'reasoning', 'toolCalls', 'content', 'error', 'finish'] as const;
const inContent = ['text', 'output', 'outputText', 'reasoning', 'toolCalls'] as const;

const answer: Check<ScriptAnswer> = rule('an answer', (value, { path, context }) => {
  answerShape.run(value, path, context);
  if (!isObject(value)) return undefined;
  const texts = (['text', 'output', 'outputText'] as const).filter((field) => value[field] !== undefined);
  if (texts.length > 1) return `has both ${texts[0]} and ${texts[1]}; an output is the text`;
  const beside = inContent.find((field) => value[field] !== undefined);
  if (value['content'] !== undefined && beside !== undefined)
    return `has both content and ${beside}; content is the whole answer`;
  if (says.some((field) => value[field] !== undefined)) return undefined;
  return `says nothing: expected one of ${says.join(', ')}`;
});

const answers: Check<readonly ScriptAnswer[]> = rule('a list of answers', (value, { path, context }) => {
  if (Array.isArray(value) && value.length === 0) return 'is empty: expected at least one answer';
  return void listOf(answer).run(value, path, context);
});

const lists: Check<Script['answers']> = rule('lists of answers by who asks', (value, { path, context }) => {
  if (!isObject(value)) return `expected lists of answers by who asks, found ${found(value)}`;
  for (const [name, list] of Object.entries(value)) answers.run(list, at(path, name), context);
  return undefined;
});

const script: Check<Script> = shape<Script>({ answers: lists, exhausted: optional(oneOf('error', 'repeat-last')) });

/**
 * Reads a script: JSON text, or the value that a YAML file was parsed to. Throws `INVALID_OPTION` with everything that is
 * wrong with it, and where.
 */
export function parseScript(source: unknown): Script {
  const value = typeof source === 'string' ? parseText(source) : source;
  const issues: ValueIssue[] = [];
  script.run(value, '', { issues, unknownFields: 'reject', checkTermination: () => undefined });
  if (issues.length === 0) return value as Script;
  const lines = issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new FullstopError('INVALID_SCRIPT', `This is not a script for a model:\n${lines.join('\n')}`, { issues });
}

function parseText(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw notText(error);
  }
}

function notText(cause: unknown): FullstopError {
  const message = `A script for a model that is given as text must be JSON: ${toErrorData(cause).message}. Parse YAML first.`;
  return new FullstopError('INVALID_SCRIPT', message, { cause });
}
