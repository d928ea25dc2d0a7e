import type { AbortSignalLike } from '../../engines/port/engine.js';
import { sameJson } from '../../engines/port/same-json.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ModelMessage, ToolMessage } from '../../models/message.js';
import { checkOptions, wholeLimit } from '../../stop/check-option.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { callsOf } from '../machine/repair-transcript.js';

/** The help that a strategy gets besides the conversation. */
export interface CompactionHelp {
  readonly signal: AbortSignalLike;
  /** Asks a model, that of the agent unless given, at the expense of the run. */
  ask(messages: readonly ModelMessage[], model?: LanguageModel): Promise<string>;
}

/** One way to make a conversation shorter. It returns a new list; messages that it keeps are the same objects. */
export interface CompactionStrategy {
  readonly name: string;
  compact(
    messages: readonly ModelMessage[],
    help: CompactionHelp,
  ): readonly ModelMessage[] | PromiseLike<readonly ModelMessage[]>;
}

/** When a conversation is made shorter, and how. */
export interface CompactionOptions {
  /** Applied one after the other; `clearToolResults()` unless given. */
  readonly strategies?: readonly CompactionStrategy[];
  /** The window of the model in tokens; with it the conversation is compacted before it overflows. */
  readonly contextWindow?: number;
  /** The part of the window at which that happens; 0.6 unless given. */
  readonly at?: number;
}

const cleared = '[This result was cleared to save space.]';

/** Clears the results of all but the latest tool messages; failed calls keep their errors. */
export function clearToolResults(options: { readonly keep?: number } = {}): CompactionStrategy {
  const { keep = 3 } = checkOptions(options, 'clearToolResults', ['keep']);
  wholeLimit(keep, { builder: 'clearToolResults', option: 'keep' });
  return {
    name: 'clearToolResults',
    compact(messages) {
      let left = keep;
      return messages
        .toReversed()
        .map((message) => {
          if (message.role !== 'tool') return message;
          left -= 1;
          if (isPinned(message)) return message;
          return left >= 0 ? message : withoutResults(message);
        })
        .reverse();
    },
  };
}

function withoutResults(message: ToolMessage): ToolMessage {
  const content = message.content.map((part) => {
    const { type } = part.output;
    return type === 'text' || type === 'json' || type === 'content'
      ? { ...part, output: { type: 'text', value: cleared } as const }
      : part;
  });
  return { ...message, content };
}

/** Options of `maskToolResults`: how long a result may be, and how many of the latest stay whole. */
export interface MaskOptions {
  /** How many characters a result may have; 4,000 unless given. */
  readonly longest?: number;
  /** How many of the latest tool messages are left as they are; 3 unless given. */
  readonly keep?: number;
}

/** Cuts the long results of all but the latest tool messages: their beginning stays. Errors are left alone. */
export function maskToolResults(options: MaskOptions = {}): CompactionStrategy {
  const { longest = 4_000, keep = 3 } = checkOptions(options, 'maskToolResults', ['longest', 'keep']);
  wholeLimit(longest, { builder: 'maskToolResults', option: 'longest' });
  wholeLimit(keep, { builder: 'maskToolResults', option: 'keep' });
  return {
    name: 'maskToolResults',
    compact(messages) {
      let left = messages.filter(({ role }) => role === 'tool').length - keep;
      return messages.map((message) => {
        if (message.role !== 'tool') return message;
        left -= 1;
        return left < 0 || isPinned(message) ? message : withoutLength(message, longest);
      });
    },
  };
}

function withoutLength(message: ToolMessage, longest: number): ToolMessage {
  const content = message.content.map((part) => {
    const { output } = part;
    if (output.type !== 'text' && output.type !== 'json') return part;
    const text = output.type === 'text' ? output.value : JSON.stringify(output.value);
    if (text.length <= longest) return part;
    const value = `${text.slice(0, longest)}\n[${text.length - longest} more characters were cut to save space.]`;
    return { ...part, output: { type: 'text', value } as const };
  });
  return content.every((part, index) => part === message.content[index]) ? message : { ...message, content };
}

/** The same message, which no compaction takes away. */
export function pin<TMessage extends ModelMessage>(message: TMessage): TMessage {
  return { ...message, providerOptions: { ...message.providerOptions, fullstop: { pinned: true } } };
}

function isPinned({ providerOptions }: ModelMessage): boolean {
  return providerOptions?.['fullstop']?.['pinned'] === true;
}

/**
 * The messages that a strategy left, with the pinned messages that it dropped: each in front of what followed it and is still there. A
 * result that is pinned keeps the call that it belongs to.
 */
export function withPinned(before: readonly ModelMessage[], after: readonly ModelMessage[]): readonly ModelMessage[] {
  const results = new Set(before.flatMap((message) => (isPinned(message) ? resultIds(message) : [])));
  const result = [...after];
  for (const [index, message] of [...before.entries()].toReversed()) {
    const isNeeded = isPinned(message) || callIds(message).some((id) => results.has(id));
    if (!isNeeded || placeIn(result, message) !== -1) continue;
    const next = before.slice(index + 1).find((later) => placeIn(result, later) !== -1);
    result.splice(next === undefined ? result.length : placeIn(result, next), 0, message);
  }
  return result.length === after.length ? after : result;
}

/** Strategies may return copies. */
function placeIn(messages: readonly ModelMessage[], message: ModelMessage): number {
  const place = messages.indexOf(message);
  if (place !== -1) return place;
  return messages.findIndex((each) => each.role === message.role && sameJson(each as never, message as never));
}

function resultIds(message: ModelMessage): readonly string[] {
  return message.role === 'tool' ? message.content.map(({ toolCallId }) => toolCallId) : [];
}

function callIds(message: ModelMessage): readonly string[] {
  return message.role === 'assistant' ? callsOf(message).map(({ toolCallId }) => toolCallId) : [];
}

/** Options of `summarise`: which model, and how many messages stay as they are. */
export interface SummariseOptions {
  /** How many of the latest messages are left as they are; 6 unless given. */
  readonly keep?: number;
  /** The model that summarises; that of the agent unless given. */
  readonly model?: LanguageModel;
  readonly instructions?: string;
}

const usualInstructions =
  'Summarise the conversation so far for whoever continues it: the task, what was found and decided, and what is still to do.';

/** Replaces the middle of a conversation by a summary; what was asked first and the latest messages stay. */
export function summarise(options: SummariseOptions = {}): CompactionStrategy {
  const known = ['keep', 'model', 'instructions'] as const;
  const { keep = 6, instructions = usualInstructions } = checkOptions(options, 'summarise', known);
  wholeLimit(keep, { builder: 'summarise', option: 'keep' });
  return {
    name: 'summarise',
    async compact(messages, { ask }) {
      const head = messages.findIndex(({ role }) => role === 'assistant');
      const tail = startOfTail(messages, keep);
      if (head === -1 || tail - head < 3) return messages;
      const asked = [...messages.slice(0, tail), { role: 'user', content: instructions } as const];
      const text = await ask(asked, options.model);
      if (text.trim() === '') throw new FullstopError('INVALID_OPTION', 'The model returned an empty summary.');
      const summary = { role: 'user', content: `What happened so far, in short:\n${text}` } as const;
      return [...messages.slice(0, head), summary, ...messages.slice(tail)];
    },
  };
}

/** Results must not be parted from their calls, so the tail never starts with a tool message. */
function startOfTail(messages: readonly ModelMessage[], keep: number): number {
  let start = Math.max(0, messages.length - keep);
  while (start > 0 && messages[start]?.role === 'tool') start -= 1;
  return start;
}
