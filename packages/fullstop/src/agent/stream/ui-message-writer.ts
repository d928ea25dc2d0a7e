import type { ModelResponse, ModelSource } from '../../models/model-response.js';
import { assertNever } from '../../termination/assert-never.js';
import type { JsonValue } from '../../termination/json.js';
import { resultOf } from '../machine/round.js';
import type { Call, ToolCallRecord } from '../machine/state.js';
import { type AnswerPiece, piecesOf, type StreamedPiece, streamedPart } from './answer-pieces.js';
import { AsyncQueue } from './async-queue.js';
import type { AgentDelta } from './deltas.js';
import { discardedText, type UIMark, type UIMessageChunk } from './ui-chunk.js';
import { type EndedRun, finishReasonOf, metadataOf, uiEnding } from './ui-ending.js';
import { runErrorText, toolErrorText, type UIMessageStreamOptions } from './ui-stream-options.js';

const discarded: UIMark = { fullstop: { discarded: true } };

/** The number of an answer of the message, or `inside` for calls of agents inside the run, whose ids are all different. */
export type AnswerPlace = number | 'inside';

/** The parts of one call that were written. */
interface WrittenCall {
  isWhole: boolean;
  isAsked: boolean;
  /** True when its final output was written. */
  isDone: boolean;
  /** The output that it had when its segment was cut off. */
  cutOff: string | undefined;
}

/**
 * Writes a run as a UI message stream. The journal decides what is in it, however often it is read; deltas only make it come
 * earlier. Whatever was written is not written again, so what follows after any point of the journal fits what came before it.
 */
export class UIMessageWriter {
  readonly chunks: AsyncQueue<UIMessageChunk>;
  readonly #options: UIMessageStreamOptions;
  /** The calls of each answer. Providers use the same id twice. */
  readonly #calls = new Map<AnswerPlace, Map<string, WrittenCall>>();
  /** The answer under way, as far as it was streamed. */
  #streamed: StreamedPiece[] = [];
  #begun = new Set<string>();
  #blocks = 0;
  #answers = 0;
  #endedSegment = 0;
  #inStep = false;
  /** True when the answer of the step is whole, so that whatever is said next belongs to another one. */
  #isAnswered = false;
  /** True for a step of calls inside the run. */
  #isInside = false;
  /** True while nothing is in the step: clients drop such a step when they come back. */
  #isEmpty = true;
  #isMuted = false;

  constructor(options: UIMessageStreamOptions, onReturn?: () => void) {
    this.#options = options;
    this.chunks = new AsyncQueue(onReturn);
    this.chunks.push({ type: 'start' });
  }

  /** Until it is unmuted, what is written is known to the reader. */
  mute(): void {
    this.#isMuted = true;
  }

  unmute(): void {
    this.#isMuted = false;
  }

  onDelta(delta: AgentDelta): void {
    if (delta.type === 'lost') return;
    switch (delta.type) {
      case 'attempt_discarded':
        this.#discard();
        return;
      case 'tool_input':
        this.#continueStep();
        this.#toolInput(delta.id, delta.tool, delta.text);
        return;
      case 'reasoning':
      case 'text':
        if (delta.text === '' || (delta.type === 'reasoning' && this.#options.sendReasoning === false)) return;
        this.#continueStep();
        this.#say(delta.type, delta.text);
        return;
      default:
        assertNever('Unknown delta', delta);
    }
  }

  /** Writes an answer, counted from 0; `made` are the calls in it that the loop has taken up. */
  answer(index: number, response: ModelResponse, made: ReadonlySet<string>): void {
    if (index < this.#answers) return;
    this.#answers = index + 1;
    this.#continueStep();
    const pieces = piecesOf(response, this.#options.sendReasoning !== false);
    const known = streamedPart(this.#streamed, pieces);
    if (known === undefined) this.#discard();
    const { count, length } = known ?? { count: 0, length: 0 };
    pieces.forEach((piece, at) => {
      if (piece.type === 'call') this.#callPiece(index, piece, at < count);
      else if (at >= count) this.#say(piece.type, piece.text);
      else if (at === count - 1 && piece.text.length > length) this.#say(piece.type, piece.text.slice(length));
    });
    this.#endBlocks();
    for (const piece of pieces)
      if (piece.type === 'call' && piece.performed === undefined && !made.has(piece.id)) this.#notMade(index, piece.id);
    this.#endInputs(index);
    this.#attach(response);
    this.#isAnswered = true;
  }

  /** Writes what is beside the words of an answer. */
  #attach({ content, sources = [] }: ModelResponse): void {
    for (const part of content) {
      if (part.type !== 'file') continue;
      const { mediaType, data } = part;
      const url = data.type === 'url' ? data.url : `data:${mediaType};base64,${data.data}`;
      this.#write({ type: 'file', url, mediaType });
    }
    if (this.#options.sendSources !== false) for (const source of sources) this.#write(sourceChunk(source));
  }

  /** Writes what is new about a call of an answer; `isAsked` when someone can answer the request about it. */
  call(answer: AnswerPlace, { id, tool, input, requestId, outcome, stage }: Call, isAsked: boolean): void {
    const written = this.#inputAvailable(answer, { id, tool, input });
    if (stage === 'done' && outcome !== null) this.output(answer, { id, iteration: 0, tool, input, ...outcome }, true);
    if (!isAsked || requestId === undefined || written.isAsked) return;
    written.isAsked = true;
    written.cutOff = undefined;
    this.#write({ type: 'tool-approval-request', approvalId: requestId, toolCallId: id });
  }

  /**
   * Writes the output of a call. One that was cut off with its segment is not final: a later segment may make the call again, and
   * has the last word.
   */
  output(answer: AnswerPlace, record: ToolCallRecord, isFinal: boolean): void {
    const written = this.#inputAvailable(answer, record);
    if (written.isDone) return;
    written.isDone = isFinal;
    const text = JSON.stringify(record.output);
    if (written.cutOff === text) return;
    written.cutOff = isFinal ? undefined : text;
    this.#writeOutput(record);
  }

  /**
   * Begins a step for calls of agents inside the run, unless the step has no other calls (`isAlone`). Clients send answers
   * once all calls of the last step have one, and the call of the agent itself gets its result only later.
   */
  beginStepInside(isAlone: boolean): void {
    if (this.#inStep && (this.#isInside || !this.#isAnswered || (isAlone && !this.#isEmpty))) return;
    this.#finishStep();
    this.#continueStep();
    this.#isAnswered = true;
    this.#isInside = true;
  }

  /** Closes a call inside that nobody waits for any more, unless it has its output. It may be asked about again. */
  withdraw(id: string): void {
    const written = this.#writtenCall('inside', id);
    if (written.isDone || written.cutOff === withdrawn) return;
    written.isAsked = false;
    written.cutOff = withdrawn;
    this.#write({ type: 'tool-output-error', toolCallId: id, errorText: withdrawn });
  }

  /** Writes the ending of a segment: a later one replaces it in the message. */
  endSegment(run: EndedRun, cursor: number): void {
    if (run.segment <= this.#endedSegment) return;
    this.#endedSegment = run.segment;
    if (!this.#isAnswered) this.#discard();
    this.#finishStep();
    const data = uiEnding(run, { ending: this.#options.ending ?? 'masked', cursor });
    this.#write({ type: 'data-ending', id: 'ending', data });
  }

  /** Closes the stream with an ending. Clients stop reading at an error, so that is the very last. */
  finish(run: EndedRun, cursor: number): void {
    this.endSegment(run, cursor);
    const data = uiEnding(run, { ending: this.#options.ending ?? 'masked', cursor });
    const finishReason = finishReasonOf(run);
    this.chunks.push({ type: 'finish', finishReason, messageMetadata: { ending: metadataOf(data) } });
    if (finishReason === 'error') {
      const words = { general: data.summary, summary: run.summary };
      this.chunks.push({ type: 'error', errorText: runErrorText(run.termination, this.#options, words) });
    }
    this.chunks.close();
  }

  #write(chunk: UIMessageChunk): void {
    this.#isEmpty = chunk.type === 'start-step';
    if (!this.#isMuted) this.chunks.push(chunk);
  }

  /** Continues with the answer under way, or begins the step of the next one. */
  #continueStep(): void {
    if (this.#isAnswered) this.#finishStep();
    if (this.#inStep) return;
    this.#inStep = true;
    this.#write({ type: 'start-step' });
  }

  #finishStep(): void {
    if (!this.#inStep) return;
    this.#inStep = false;
    this.#isAnswered = false;
    this.#isInside = false;
    this.#write({ type: 'finish-step' });
  }

  #say(type: 'text' | 'reasoning', text: string): void {
    let piece = this.#streamed.at(-1);
    if (piece?.type !== type) {
      this.#blocks += 1;
      piece = { type, text: '', block: `${type}-${this.#blocks}` };
      this.#streamed.push(piece);
      this.#write({ type: `${type}-start`, id: piece.block });
    }
    piece.text += text;
    this.#write({ type: `${type}-delta`, id: piece.block, delta: text });
  }

  #callPiece(answer: number, piece: Extract<AnswerPiece, { type: 'call' }>, isStreamed: boolean): void {
    if (!isStreamed) this.#streamed.push({ type: 'call', id: piece.id });
    const written = this.#inputAvailable(answer, piece, piece.performed !== undefined);
    const { output } = piece.performed ?? {};
    if (output === undefined || written.isDone) return;
    written.isDone = true;
    this.#writeOutput({ ...piece, output }, { providerExecuted: true });
  }

  #writeOutput(
    record: Pick<ToolCallRecord, 'id' | 'tool' | 'output' | 'error'>,
    executed: { readonly providerExecuted?: true } = {},
  ): void {
    const { id: toolCallId, output } = record;
    if (output.type === 'execution-denied') {
      this.#write({ type: 'tool-output-denied', toolCallId });
      return;
    }
    const more = { toolCallId, ...executed };
    if (output.type === 'error-text' || output.type === 'error-json')
      this.#write({ type: 'tool-output-error', ...more, errorText: toolErrorText(record, this.#options) });
    else this.#write({ type: 'tool-output-available', ...more, output: resultOf(output) });
  }

  #endBlocks(mark?: UIMark): void {
    for (const piece of this.#streamed) {
      if (piece.type === 'call') continue;
      const providerMetadata = mark !== undefined && { providerMetadata: mark };
      this.#write({ type: `${piece.type}-end`, id: piece.block, ...providerMetadata });
    }
    this.#streamed = [];
  }

  /** Calls that were never made: whoever shows them would wait for the rest of their input. */
  #endInputs(answer?: number): void {
    const known = answer === undefined ? undefined : this.#calls.get(answer);
    for (const toolCallId of this.#begun) {
      if (known?.has(toolCallId) === true) continue;
      this.#write({ type: 'tool-output-error', toolCallId, errorText: discardedText });
    }
    this.#begun = new Set();
  }

  #notMade(answer: number, toolCallId: string): void {
    const written = this.#writtenCall(answer, toolCallId);
    if (written.isDone) return;
    written.isDone = true;
    this.#write({ type: 'tool-output-error', toolCallId, errorText: brokenOff });
  }

  /** Deltas cannot be taken back, but whoever shows them is told. */
  #discard(): void {
    this.#endBlocks(discarded);
    this.#endInputs();
  }

  #toolInput(toolCallId: string, toolName: string, inputTextDelta: string): void {
    if (!this.#begun.has(toolCallId)) {
      this.#begun.add(toolCallId);
      this.#streamed.push({ type: 'call', id: toolCallId });
      this.#write({ type: 'tool-input-start', toolCallId, toolName });
    }
    this.#write({ type: 'tool-input-delta', toolCallId, inputTextDelta });
  }

  #inputAvailable(answer: AnswerPlace, { id, tool, input }: CallInput, isPerformed = false): WrittenCall {
    const written = this.#writtenCall(answer, id);
    if (written.isWhole) return written;
    written.isWhole = true;
    const executed = isPerformed && ({ providerExecuted: true } as const);
    this.#write({ type: 'tool-input-available', toolCallId: id, toolName: tool, input, ...executed });
    return written;
  }

  #writtenCall(answer: AnswerPlace, id: string): WrittenCall {
    const calls = this.#calls.get(answer) ?? new Map<string, WrittenCall>();
    this.#calls.set(answer, calls);
    const call = calls.get(id) ?? { isWhole: false, isAsked: false, isDone: false, cutOff: undefined };
    calls.set(id, call);
    return call;
  }
}

interface CallInput {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonValue;
}

const withdrawn = 'This call was not made: the agent that asked for it has ended.';

const brokenOff = 'The answer was broken off, so this call was not made.';

function sourceChunk(source: ModelSource): UIMessageChunk {
  const { id: sourceId } = source;
  if (source.sourceType === 'url') {
    const { url, title } = source;
    return { type: 'source-url', sourceId, url, ...(title !== undefined && { title }) };
  }
  const { mediaType, filename, title = filename ?? 'document' } = source;
  return { type: 'source-document', sourceId, mediaType, title, ...(filename !== undefined && { filename }) };
}
