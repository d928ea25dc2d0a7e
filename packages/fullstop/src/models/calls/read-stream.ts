import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { StreamLike } from '../../engines/port/host.js';
import { isObject } from '../../termination/json.js';
import type { ModelDelta } from '../model-response.js';
import { ModelCallError } from './model-call-error.js';
import type { Answer } from './read-answer.js';
import { readFinish } from './read-finish.js';
import { readUsage } from './read-usage.js';
import { ignoreAbort, listenToAbort } from './until-aborted.js';

type Fields = Readonly<Record<string, unknown>>;

interface TextBlock {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: unknown;
}

export interface ReadStreamOptions {
  readonly onDelta: (delta: ModelDelta) => void;
  readonly onPart?: (() => void) | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/** Reads the stream of `doStream` to its end and makes the answer of it that `doGenerate` would have returned. */
export async function readStream(
  begun: PromiseLike<unknown>,
  { onDelta, onPart, signal }: ReadStreamOptions,
): Promise<Answer> {
  const result = await begun;
  onPart?.();
  const reader = new StreamReading(streamOf(result));
  const collector = createCollector(onDelta);
  if (signal !== undefined) listenToAbort(reader, signal);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      onPart?.();
      collector.add(value);
    }
  } catch (error) {
    reader.onAbort(signal?.reason);
    throw error;
  } finally {
    if (signal !== undefined) ignoreAbort(reader, signal);
  }
  return collector.answer();
}

/** The reading of one stream. Its lock is never released: that would make an error with a stack, and nothing is left to read. */
class StreamReading {
  readonly #reader: ReturnType<StreamLike['getReader']>;

  constructor(stream: StreamLike) {
    this.#reader = stream.getReader();
  }

  read(): ReturnType<ReturnType<StreamLike['getReader']>['read']> {
    return this.#reader.read();
  }

  /** The provider need not continue an answer that nobody reads; whether cancelling fails does not matter any more. */
  onAbort(reason: unknown): void {
    void Promise.resolve(this.#reader.cancel(reason)).catch(() => undefined);
  }
}

function streamOf(result: unknown): StreamLike {
  const stream = isObject(result) ? result['stream'] : undefined;
  if (isObject(stream) && typeof stream['getReader'] === 'function') return stream as unknown as StreamLike;
  throw new ModelCallError('MALFORMED_ANSWER', 'The model returned no stream.');
}

/** Puts the parts of a stream together. */
export interface Collector {
  /** Throws what an error part carries. */
  add(part: unknown): void;
  /** The whole answer; throws when the stream ended without one. */
  answer(): Answer;
}

export function createCollector(onDelta: (delta: ModelDelta) => void): Collector {
  return new StreamCollector(onDelta);
}

class StreamCollector implements Collector {
  readonly #onDelta: (delta: ModelDelta) => void;
  /** In the order in which the parts began, which is the order they have in an answer that is not streamed. */
  readonly #content: unknown[] = [];
  /** Texts and thoughts that are not finished, by type and id. */
  #blocks: Map<string, TextBlock> | undefined;
  #tools: Map<unknown, string> | undefined;
  #warnings: unknown;
  #response: unknown;
  #finish: Fields | undefined;

  constructor(onDelta: (delta: ModelDelta) => void) {
    this.#onDelta = onDelta;
  }

  add(part: unknown): void {
    if (!isObject(part)) return;
    // Compared one by one: most streams are made of pieces, and a pattern would be matched against each.
    switch (part['type']) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#addText('text', part);
        return;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#addText('reasoning', part);
        return;
      case 'tool-input-start':
        this.#tools ??= new Map();
        this.#tools.set(part['id'], String(part['toolName']));
        return;
      case 'tool-input-delta':
        this.#addInput(part);
        return;
      case 'error':
        throw part['error'];
      case 'stream-start':
        this.#warnings = part['warnings'];
        return;
      case 'response-metadata':
        this.#response = part;
        return;
      case 'finish':
        this.#finish = part;
        return;
      default:
        this.#content.push(part);
    }
  }

  answer(): Answer {
    const finish = this.#finish;
    const hasParts = this.#content.length > 0 || this.#response !== undefined;
    if (finish === undefined || (hasParts && isCut(finish))) {
      throw new ModelCallError('STREAM_CUT', "The model's stream ended in the middle of its answer.");
    }
    if (!hasParts && isWordless(finish)) {
      throw new ModelCallError('MALFORMED_ANSWER', 'The stream of the model contained no part of an answer.');
    }
    return {
      content: this.#content,
      finishReason: finish['finishReason'],
      usage: finish['usage'],
      providerMetadata: finish['providerMetadata'],
      warnings: this.#warnings,
      response: this.#response,
    };
  }

  #addText(type: TextBlock['type'], part: Fields): void {
    const key = `${type}:${String(part['id'])}`;
    this.#blocks ??= new Map();
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = { type, text: '' };
      this.#blocks.set(key, block);
      this.#content.push(block);
    }
    // Signatures come with whatever part is at hand when they are known; the latest stands.
    if (part['providerMetadata'] !== undefined) block.providerMetadata = part['providerMetadata'];
    const { delta } = part;
    if (typeof delta === 'string' && delta !== '') {
      block.text += delta;
      this.#notify({ type, text: delta });
    }
    // An id may be used again for a block of its own.
    if (part['type'] === `${type}-end`) this.#blocks.delete(key);
  }

  #addInput({ id, delta }: Fields): void {
    if (typeof delta !== 'string' || delta === '') return;
    this.#notify({ type: 'tool_input', id: String(id), tool: this.#tools?.get(id) ?? '', text: delta });
  }

  #notify(delta: ModelDelta): void {
    try {
      this.#onDelta(delta);
    } catch {
      // Deltas are a courtesy: a listener that fails is no reason for the answer to fail.
    }
  }
}

/** Clients write a finish at the end of any stream: one that knows nothing at all was not sent. Models of v2 have no word that would tell. */
function isCut(finish: Fields): boolean {
  return isObject(finish['finishReason']) && isWordless(finish);
}

/** True for a finish without a word of the provider and without usage, as clients make it of a body that has none: a cut stream, a page of HTML. */
function isWordless({ finishReason, usage }: Fields): boolean {
  const { finish, rawFinish } = readFinish(finishReason);
  return finish === 'other' && rawFinish === undefined && readUsage(usage) === undefined;
}
