import { type Clock, systemClock } from '../../engines/port/clock.js';
import { host, type StreamLike } from '../../engines/port/host.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import { counted } from '../../termination/text/wording.js';
import { agentOf } from '../calls/to-call-options.js';
import { untilAborted } from '../calls/until-aborted.js';
import type { LanguageModel, ModelCallOptions } from '../language-model.js';
import { readDuration } from './duration.js';
import { parseScript } from './parse-script.js';
import type { Script, ScriptAnswer } from './script.js';
import { type ScriptedAnswer, toScriptedAnswer, toScriptedParts } from './scripted-answer.js';
import { toScriptedError } from './scripted-error.js';

/** A call to a scripted model. */
export interface ScriptedCall {
  /** Who asks, `*` when nobody says. */
  readonly agent: string;
  /** How many answers of the list were given before. */
  readonly index: number;
  readonly options: ModelCallOptions;
}

/** A whole script, lists of answers by who asks, one list for everyone, or a function that makes up the answers. */
export type ScriptedAnswers =
  | Script
  | Script['answers']
  | readonly ScriptAnswer[]
  | ((call: ScriptedCall) => ScriptAnswer);

/** Options of `scriptedModel`: its name, and what happens after the last answer. */
export interface ScriptedModelOptions {
  /** `scripted` unless given. */
  readonly modelId?: string;
  /** The behaviour when a list is used up; that of the script, or an error, unless given. */
  readonly exhausted?: 'error' | 'repeat-last';
  /** How many answers of each list were given already, by a process before this one. */
  readonly used?: Readonly<Record<string, number>>;
  /** The clock of the delays; the machine's unless given. */
  readonly clock?: Clock;
  /** Notified of every call before it is answered. */
  readonly onCall?: (call: ScriptedCall) => void;
}

/** A model that answers from a script: for tests, examples and demos, without a network or a key. */
export interface ScriptedModel extends LanguageModel {
  readonly specificationVersion: 'v3';
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: ModelCallOptions): Promise<ScriptedAnswer>;
  /** The stream is a ReadableStream. `never` fits the AI SDK's type of it, which we cannot name without DOM types. */
  doStream(options: ModelCallOptions): Promise<{ readonly stream: never }>;
  /** How many answers of each list were given. */
  used(): Readonly<Record<string, number>>;
  /** How many answers of each list are left; lists that are used up are left out. */
  remaining(): Readonly<Record<string, number>>;
}

/**
 * Makes a model that returns these answers, one after the other, and is strict about having none left. Every list is one
 * queue, whoever takes from it.
 *
 * @example
 * const model = scriptedModel([{ toolCalls: [{ tool: 'search', input: { q: 'x' } }] }, { text: 'done' }]);
 */
export function scriptedModel(answers: ScriptedAnswers, options: ScriptedModelOptions = {}): ScriptedModel {
  const queue = typeof answers === 'function' ? inventedQueue(answers) : createQueue(toScript(answers), options);
  const { modelId = 'scripted', clock = systemClock, onCall } = options;

  const next = async (call: ModelCallOptions): Promise<Taken> => {
    const taken = queue.take(agentOf(call), call, onCall);
    if (taken.answer.delay !== undefined) await pass(taken.answer.delay, clock, call);
    return taken;
  };

  return {
    specificationVersion: 'v3',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    used: () => queue.used(),
    remaining: () => queue.remaining(),
    async doGenerate(call) {
      const { answer, id } = await next(call);
      const error = toScriptedError(answer.error);
      if (error !== undefined) throw error;
      return toScriptedAnswer(answer, { id, modelId });
    },
    async doStream(call) {
      const { answer, id } = await next(call);
      const error = toScriptedError(answer.error);
      if (error !== undefined && answer.error !== 'stream_cut') throw error;
      const parts = toScriptedParts(toScriptedAnswer(answer, { id, modelId }));
      const stream = error === undefined ? streamOf(parts) : streamOf(parts.slice(0, parts.length / 2), error);
      return { stream: stream as never };
    },
  };
}

interface Taken {
  readonly answer: ScriptAnswer;
  /** Made from the place of the answer, so that it is the same whenever this answer is given. */
  readonly id: string;
}

interface Queue {
  take(agent: string, options: ModelCallOptions, onCall: ScriptedModelOptions['onCall']): Taken;
  used(): Readonly<Record<string, number>>;
  remaining(): Readonly<Record<string, number>>;
}

function toScript(answers: Exclude<ScriptedAnswers, (call: ScriptedCall) => ScriptAnswer>): Script {
  if (Array.isArray(answers)) return parseScript({ answers: { '*': answers } });
  // An agent may be called "answers"; its answers are a list, those of a script are not.
  return parseScript(isObject(answers) && isObject(answers['answers']) ? answers : { answers });
}

function createQueue({ answers, exhausted: usual }: Script, options: ScriptedModelOptions): Queue {
  const used = new Map(Object.entries(options.used ?? {}));
  const exhausted = options.exhausted ?? usual ?? 'error';
  return {
    take(agent, call, onCall) {
      const list = Object.hasOwn(answers, agent) ? agent : '*';
      const all = Object.hasOwn(answers, list) ? (answers[list] as readonly ScriptAnswer[]) : [];
      const index = used.get(list) ?? 0;
      onCall?.({ agent, index, options: call });
      const answer = all[index] ?? (exhausted === 'repeat-last' ? all.at(-1) : undefined);
      if (answer === undefined) throw noAnswer(agent, answers, all.length);
      used.set(list, index + 1);
      return { answer, id: `${list === '*' ? '' : `${list}_`}call_${index + 1}` };
    },
    used: () => Object.fromEntries(used),
    remaining() {
      const left = Object.entries(answers).map(([list, all]) => [list, all.length - (used.get(list) ?? 0)] as const);
      return Object.fromEntries(left.filter(([, number]) => number > 0));
    },
  };
}

function inventedQueue(invent: (call: ScriptedCall) => ScriptAnswer): Queue {
  const used = new Map<string, number>();
  return {
    take(agent, options, onCall) {
      const index = used.get(agent) ?? 0;
      used.set(agent, index + 1);
      const call = { agent, index, options };
      onCall?.(call);
      const answer = invent(call);
      parseScript({ answers: { [agent]: [answer] } });
      return { answer, id: `${agent === '*' ? '' : `${agent}_`}call_${index + 1}` };
    },
    used: () => Object.fromEntries(used),
    remaining: () => ({}),
  };
}

function noAnswer(agent: string, answers: Script['answers'], length: number): FullstopError {
  const who = agent === '*' ? 'a caller without a name' : JSON.stringify(agent);
  const why =
    length > 0
      ? `it had ${counted(length, 'answer')}, and no more`
      : `it has answers for ${Object.keys(answers)
          .map((name) => JSON.stringify(name))
          .join(', ')} only`;
  return new FullstopError(
    'SCRIPT_EXHAUSTED',
    `The script has no answer for ${who}: ${why}. Add one, or set exhausted: repeat-last.`,
  );
}

function pass(delay: string, clock: Clock, { abortSignal }: ModelCallOptions): Promise<void> {
  let stop: (() => void) | undefined;
  const waited = new Promise<void>((resolve) => {
    stop = clock.callAt(clock.now() + (readDuration(delay) ?? 0), resolve);
  });
  // A timer that nobody waits for any more would keep the process alive.
  return abortSignal === undefined ? waited : untilAborted(() => waited, abortSignal).finally(() => stop?.());
}

function streamOf(parts: readonly object[], error?: Error): StreamLike {
  let index = 0;
  return new host.ReadableStream({
    pull(controller) {
      if (index < parts.length) controller.enqueue(parts[index]);
      else if (error === undefined) controller.close();
      else controller.error(error);
      index += 1;
    },
  });
}
