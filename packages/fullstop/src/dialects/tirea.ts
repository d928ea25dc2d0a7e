import type { Ending } from '../termination/ending.js';
import { isObject, type JsonObject, type JsonValue } from '../termination/json.js';
import type { TerminationRegistry } from '../termination/registry.js';
import { badPayload } from './bad-payload.js';
import {
  type Dialect,
  defineDialect,
  type ForeignPayload,
  type ForeignTermination,
  type ForeignWord,
  type Parts,
} from './dialect.js';
import { outcomeOf } from './general-word.js';
import { plainWords } from './plain-words.js';
import { specialWord, text, word } from './word.js';

/** A is the first generation, with a closed list of stop reasons; B is that of 0.2 to 0.5, with open codes. */
type Generation = 'A' | 'B';

/** The prefix of the code in the words of stops. */
const stopPrefix = 'stopped:';
const custom = 'stopped:custom';

const rounds = { implied: { unit: 'round' } } as const;
const wholeRun = { implied: { scope: 'run' } } as const;

/** Stops carry nothing but the name of the tool or the pattern. The shorter codes are those of the third generation. */
const stopWords: readonly ForeignWord[] = [
  word('stopped:max_rounds_reached', 'max_iterations', rounds),
  word('stopped:max_rounds', 'max_iterations', { ...rounds, canonical: 'stopped:max_rounds_reached' }),
  word('stopped:timeout_reached', 'time_budget', wholeRun),
  word('stopped:timeout', 'time_budget', { ...wholeRun, canonical: 'stopped:timeout_reached' }),
  word('stopped:token_budget_exceeded', 'token_budget'),
  word('stopped:token_budget', 'token_budget', { canonical: 'stopped:token_budget_exceeded' }),
  word('stopped:tool_called', 'tool_called', { carries: { value: text('tool') } }),
  word('stopped:content_matched', 'content_matched', { carries: { value: text('pattern') } }),
  word('stopped:consecutive_errors_exceeded', 'consecutive_errors'),
  word('stopped:consecutive_errors', 'consecutive_errors', { canonical: 'stopped:consecutive_errors_exceeded' }),
  word('stopped:loop_detected', 'loop_detected'),
  word(custom, 'custom', {
    carries: { value: text('reason'), tag: text('tag') },
    note: 'From 0.2 on any other code is one of these: the code is the tag, its detail the reason. Before, there is no tag.',
  }),
];

function wordsOf(generation: Generation): readonly ForeignWord[] {
  /** A word that only one generation writes; for the other it is a synonym. */
  const writtenBy = (own: Generation, synonym: string) => (generation === own ? {} : { canonical: synonym });
  return [
    word('natural_end', 'natural_end'),
    word('plugin_requested', 'plugin_requested', writtenBy('A', 'behavior_requested')),
    word('behavior_requested', 'plugin_requested', writtenBy('B', 'plugin_requested')),
    ...stopWords,
    word('cancelled', 'cancelled', { note: 'Says that a cancellation token fired, not whose.' }),
    word('pending_interaction', 'interaction_pending', writtenBy('A', 'suspended')),
    word('suspended', 'interaction_pending', writtenBy('B', 'pending_interaction')),
    word('blocked', 'halted', {
      canonical: custom,
      carries: { value: text('reason') },
      note: 'Third generation only. A gate in front of a tool said stop, which is a halt; as a failed hand-off ends with the same word, `by` stays unknown. Written as a stop with a reason of its own.',
    }),
    specialWord('error', 'failed', {
      carries: ['value → error.message'],
      note: 'The first generation writes no message.',
      write: (t) => (generation === 'A' ? {} : makePayload('value', t.error?.message)),
      read(payload) {
        const message = payload['value'] ?? undefined;
        if (message !== undefined && typeof message !== 'string') throw badPayload('error', 'value', 'a string');
        return message === undefined ? {} : { error: { message } };
      },
    }),
  ];
}

/** Splits values of all three generations: the stops of A have a type and a value, those of B and C a code and a detail. */
function split(value: unknown): Parts | undefined {
  if (!isObject(value) || typeof value['type'] !== 'string') return undefined;
  const { type, value: content } = value as { readonly type: string; readonly value?: JsonValue };
  if (type.startsWith(stopPrefix)) return undefined;
  if (type !== 'stopped') return { word: type, payload: makePayload('value', content) };
  if (!isObject(content)) return undefined;
  const inner = content as Readonly<Record<string, JsonValue | undefined>>;
  const { type: closed, code } = inner;
  if (typeof code === 'string')
    return { word: stopPrefix + code, payload: { code, ...makePayload('value', inner['detail']) } };
  return typeof closed === 'string'
    ? { word: stopPrefix + closed, payload: makePayload('value', inner['value']) }
    : undefined;
}

/** Only codes are open; a stop of the first generation with an unknown type is refused. */
function openCode({ word: name, payload }: Parts): Parts | undefined {
  if (payload['code'] === undefined) return undefined;
  return { word: custom, payload: { ...payload, tag: name.slice(stopPrefix.length) } };
}

/** Errors and pauses have general words; anything else is a stop for a reason of one's own. */
function generalWord(
  generation: Generation,
  termination: Ending | ForeignTermination,
  registry: TerminationRegistry,
): JsonObject {
  const { kind } = termination;
  if (registry.find(kind)?.family === 'error') {
    return generation === 'A' ? { type: 'error' } : { type: 'error', value: plainWords(termination, registry) };
  }
  if (outcomeOf(termination, registry) === 'paused') {
    return { type: generation === 'A' ? 'pending_interaction' : 'suspended' };
  }
  if (generation === 'A') return { type: 'stopped', value: { type: 'custom', value: kind } };
  return { type: 'stopped', value: { code: kind, detail: plainWords(termination, registry) } };
}

function defineGeneration(generation: Generation): Dialect<JsonObject> {
  const words = wordsOf(generation);
  const known: ReadonlySet<string> = new Set(words.map((each) => each.word));
  return defineDialect<JsonObject>({
    name: generation === 'A' ? 'tirea-a' : 'tirea-b',
    title: generation === 'A' ? 'Tirea (first generation)' : 'Tirea (0.2 to 0.5)',
    words,
    split,
    join(name, { value, tag }) {
      if (!name.startsWith(stopPrefix)) return { type: name, ...makePayload('value', value) };
      const code = name.slice(stopPrefix.length);
      if (generation === 'A') return { type: 'stopped', value: { type: code, ...makePayload('value', value) } };
      // A tag is a code of one's own, unless that code already means something else.
      const own = typeof tag === 'string' && !known.has(stopPrefix + tag) ? tag : code;
      return { type: 'stopped', value: { code: own, ...makePayload('detail', value) } };
    },
    general: openCode,
    otherwise: (termination, registry) => generalWord(generation, termination, registry),
  });
}

function makePayload(key: string, value: JsonValue | undefined): ForeignPayload {
  return value === undefined ? {} : { [key]: value };
}

/** Tirea's TerminationReason as its first generation writes it. Reads the spellings of all three generations. */
export const tireaA: Dialect<JsonObject> = defineGeneration('A');

/** Tirea's TerminationReason as 0.2 to 0.5 write it. Reads the spellings of all three generations. */
export const tireaB: Dialect<JsonObject> = defineGeneration('B');
