import { host, type StreamLike } from '../../engines/port/host.js';
import { createCollector } from '../calls/read-stream.js';
import { agentOf } from '../calls/to-call-options.js';
import { brokeOff, classifyModelError, codeOf, type ModelFailure } from '../errors/classify-model-error.js';
import { readErrorFacts } from '../errors/error-facts.js';
import type { GenerateResult, LanguageModel, ModelCallOptions, StreamResult } from '../language-model.js';
import { formatDuration } from './duration.js';
import { recordedAnswer } from './recorded-answer.js';
import type { Script, ScriptAnswer, ScriptErrorWord } from './script.js';
import { toScriptedError } from './scripted-error.js';

/** Where answers go that were given. */
export interface RecordingSink {
  /**
   * Keeps a place for the answer to a call that has begun; the function returned fills it, or drops it when there was
   * no answer. Answers are replayed in the order in which they were asked for, not in the order they came.
   */
  reserve(agent: string): (answer: ScriptAnswer | undefined) => void;
}

/** A recording in memory, which a scripted model can play. */
export interface ModelRecording extends RecordingSink {
  /** The recording so far. Write it to a file as JSON or YAML. */
  script(): Script;
}

/** Makes an empty recording of a model's answers. */
export function createRecording(): ModelRecording {
  const places = new Map<string, { answer?: ScriptAnswer }[]>();
  return {
    reserve(agent) {
      const place: { answer?: ScriptAnswer } = {};
      const list = places.get(agent);
      if (list === undefined) places.set(agent, [place]);
      else list.push(place);
      return (answer) => {
        if (answer !== undefined) place.answer = answer;
      };
    },
    script() {
      const lists = [...places].map(([agent, list]) => {
        return [agent, list.flatMap(({ answer }) => (answer === undefined ? [] : [answer]))] as const;
      });
      return { answers: Object.fromEntries(lists.filter(([, list]) => list.length > 0)), exhausted: 'error' };
    },
  };
}

/** The same model, of whose answers, and failures, a script is made. */
export function recordModel(model: LanguageModel, sink: RecordingSink): LanguageModel {
  const recorded = async <T>(call: ModelCallOptions, ask: (place: Place) => Promise<T>): Promise<T> => {
    const place = createPlace(model, call, sink.reserve(agentOf(call)));
    try {
      return await ask(place);
    } catch (error) {
      place.error(error, 'network');
      throw error;
    }
  };

  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    // The AI SDK asks for these too, where someone hands the recorded model to it.
    ...('supportedUrls' in model && { supportedUrls: model.supportedUrls }),
    doGenerate: (call) =>
      recorded<GenerateResult>(call, async (place) => {
        const result = await model.doGenerate(call);
        place.answer(result);
        return result;
      }),
    doStream: (call) =>
      recorded<StreamResult>(call, async (place) => {
        const result = await model.doStream(call);
        return { ...result, stream: listenIn(result.stream, place) };
      }),
  };
}

/** The place of one call in a recording. The first outcome counts: a stream may continue after its error. */
interface Place {
  answer(answer: unknown): void;
  error(error: unknown, otherwise: 'network' | 'stream_cut'): void;
}

function createPlace(
  { provider }: LanguageModel,
  { abortSignal: signal }: ModelCallOptions,
  fill: ReturnType<RecordingSink['reserve']>,
): Place {
  let filled = false;
  const once = (answer: () => ScriptAnswer | undefined): void => {
    if (filled) return;
    // Before it counts as filled, since an answer that is none throws, and is then recorded as that.
    const made = answer();
    filled = true;
    fill(made);
  };
  return {
    answer: (answer) => once(() => recordedAnswer(answer)),
    error: (error, otherwise) =>
      // What broke off in its answer is charged, and what never began is not.
      once(() =>
        failureAnswer(
          error,
          classifyModelError(error, { provider, signal }),
          brokeOff(error) ? 'stream_cut' : otherwise,
        ),
      ),
  };
}

/** Hands every part on and reads along. */
function listenIn(stream: StreamLike, place: Place): StreamLike {
  const reader = stream.getReader();
  const collector = createCollector(() => undefined);
  const note = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      place.error(error, 'stream_cut');
    }
  };
  return new host.ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        note(() => (done ? place.answer(collector.answer()) : collector.add(value)));
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        place.error(error, 'stream_cut');
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

type ScriptError = NonNullable<ScriptAnswer['error']>;

/** The error that means the same when it is played. Nothing for a call that the caller aborted: there was no answer to play again. */
function failureAnswer(
  thrown: unknown,
  failure: ModelFailure,
  otherwise: 'network' | 'stream_cut',
): ScriptAnswer | undefined {
  if (failure.type === 'aborted') return undefined;
  const forms = failure.status === undefined ? withoutStatus(failure, otherwise) : withStatus(thrown, failure);
  return { error: forms.find((error) => meansTheSame(error, failure)) ?? otherwise };
}

/** A code of the provider's may say more than the status and the message. */
function withStatus(thrown: unknown, { status = 0, retryAfterMs, error }: ModelFailure): readonly ScriptError[] {
  const retryAfter = retryAfterMs === undefined ? undefined : formatDuration(retryAfterMs);
  const plain = { status, ...(retryAfter !== undefined && { retryAfter }), message: error.message };
  const coded = readErrorFacts(thrown).codes.map((code) => ({ ...plain, code }));
  return [plain, ...coded].flatMap((form) => [form, { ...form, retry: false }]);
}

function withoutStatus({ type, error }: ModelFailure, otherwise: ScriptErrorWord): readonly ScriptError[] {
  const { name, message } = error;
  const code = codeOf(error);
  const form = { message, ...(name !== 'Error' && { name }), ...(code !== undefined && { code }) };
  const words: readonly ScriptErrorWord[] = otherwise === 'stream_cut' ? [otherwise] : [];
  return [...words, ...(type === 'malformed' || type === 'auth' ? [type] : []), form];
}

function meansTheSame(error: ScriptError, failure: ModelFailure): boolean {
  const played = classifyModelError(toScriptedError(error), { provider: failure.provider });
  const fields = ['type', 'status', 'retryable', 'retryAfterMs', 'limit', 'used'] as const;
  return fields.every((field) => played[field] === failure[field]);
}
