import type { ModelSource } from '../../models/model-response.js';
import { isWithin, withoutMarks } from '../../run/journal/scope-path.js';
import { itemsOf } from '../../run/log.js';
import { assertNever } from '../../termination/assert-never.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import { tagOf } from '../../termination/tag-of.js';
import type { AgentResult } from '../agent.js';
import { makeCallUnit } from '../machine/agent-key.js';
import { resultOf } from '../machine/round.js';
import type { AgentState, IterationRecord, ToolCallRecord } from '../machine/state.js';
import { AsyncQueue } from './async-queue.js';
import type { AgentDelta } from './deltas.js';

/** The ending of a run as it is in the metadata of the message and in its last data part. */
export interface UIEnding {
  readonly runId: string;
  readonly segment: number;
  readonly termination: Ending;
  readonly category: string;
  readonly outcome: string;
  readonly tag: string;
  readonly summary: string;
  readonly nextAction: string;
}

/** A part of a UI message stream of the AI SDK; these are the ones that an agent writes. */
export type UIMessageChunk =
  | { readonly type: 'start' | 'start-step' | 'finish-step' }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | ToolChunk
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: 'source-document';
      readonly sourceId: string;
      readonly mediaType: string;
      readonly title: string;
      readonly filename?: string;
    }
  | { readonly type: 'file'; readonly url: string; readonly mediaType: string }
  | { readonly type: 'data-discarded'; readonly data: { readonly ids: readonly string[] } }
  | { readonly type: 'data-ending'; readonly data: UIEnding }
  | {
      readonly type: 'finish';
      readonly finishReason: FinishReason;
      readonly messageMetadata: { readonly ending: UIEnding };
    };

type ToolChunk =
  | {
      readonly type: 'tool-input-start';
      readonly toolCallId: string;
      readonly toolName: string;
    }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: JsonValue;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string };

type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

type Block = 'text' | 'reasoning';

/**
 * Writes a run as a UI message stream. Answers and results come from the states of the loop, so that nothing is missing even
 * if deltas were lost; the last part carries the ending, however the run ends.
 */
export class UIMessageWriter {
  readonly chunks: AsyncQueue<UIMessageChunk> = new AsyncQueue();
  readonly #open = new Map<Block, string>();
  /** The calls of the step at hand: whose input has begun, whose is whole, about which someone was asked, whose result was sent before. */
  readonly #begun = new Set<string>();
  readonly #whole = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #sent = new Set<string>();
  /** The text of the answer under way, as far as it was streamed. */
  #streamed = '';
  /** The unit of the agent that the conversation was handed over to. */
  #handedTo: string | undefined;
  #handedAnswer = '';
  #blocks = 0;
  #answers = 0;
  #calls = 0;
  #inStep = false;
  /** True when the answer of the step is whole, so that whatever is said next belongs to another one. */
  #isAnswered = false;

  constructor() {
    this.chunks.push({ type: 'start' });
  }

  onDelta(delta: AgentDelta): void {
    if (delta.type === 'lost' || !this.#isShown(delta)) return;
    if (delta.path !== '') this.#separate(`${delta.path} ${delta.key}`);
    switch (delta.type) {
      case 'attempt_discarded':
        this.#discard();
        return;
      case 'tool_input':
        this.#goOn();
        this.#toolInput(delta.id, delta.tool, delta.text);
        return;
      case 'text':
      case 'reasoning':
        this.#goOn();
        this.#say(delta.type, delta.text);
        return;
      default:
        assertNever('Unknown delta', delta);
    }
  }

  /** The words of the run itself, and of the agent that the conversation was handed over to; the calls of that one are its own. */
  #isShown({ path, type }: Exclude<AgentDelta, { type: 'lost' }>): boolean {
    if (path === '') return true;
    return type !== 'tool_input' && this.#handedTo !== undefined && isWithin(withoutMarks(path), this.#handedTo);
  }

  /** The answers of an agent that took over are one text each: only the last one is compared with the end. */
  #separate(answer: string): void {
    if (this.#handedAnswer === answer) return;
    this.#handedAnswer = answer;
    this.#endBlocks();
    this.#streamed = '';
  }

  /** Passes over what an earlier segment has written. */
  skip({ iterations, toolCalls, round }: AgentState): void {
    this.#answers = iterations.length;
    this.#calls = toolCalls.length;
    for (const { id, stage } of round) {
      this.#whole.add(id);
      if (stage !== 'ready') this.#asked.add(id);
      if (stage === 'done') this.#sent.add(id);
    }
  }

  /** Writes what is new in a state. A run that is replayed comes by the same states again. */
  onState(state: AgentState): void {
    const answers = itemsOf(state.iterations);
    if (answers.length < this.#answers || state.toolCalls.length < this.#calls) return;
    for (; this.#answers < answers.length; this.#answers += 1) this.#answer(answers[this.#answers] as IterationRecord);
    for (const call of state.round) {
      const { id, tool, input, stage, requestId } = call;
      this.#inputAvailable(id, tool, input);
      if (call.handsOff === true && stage !== 'done') this.#handedTo = makeCallUnit(call);
      if (stage === 'asking' && requestId !== undefined) this.#approval(id, requestId);
    }
    const calls = itemsOf(state.toolCalls);
    for (; this.#calls < calls.length; this.#calls += 1) this.#output(calls[this.#calls] as ToolCallRecord);
  }

  end(result: AgentResult<Ending>): void {
    for (const record of result.toolCalls.slice(this.#calls)) this.#output(record);
    const last = result.children.at(-1);
    if (last?.tookOver === true) this.#sayRest(last.text);
    this.#finishStep();
    const { runId, segment, termination, category, outcome, summary, nextAction } = result;
    const tag = tagOf(termination as Parameters<typeof tagOf>[0]);
    const ending: UIEnding = { runId, segment, termination, category, outcome, tag, summary, nextAction };
    this.chunks.push({ type: 'data-ending', data: ending });
    this.chunks.push({
      type: 'finish',
      finishReason: finishReasonOf(result),
      messageMetadata: { ending },
    });
    this.chunks.close();
  }

  /** Continues the answer under way, or begins the step of the next one. */
  #goOn(): void {
    if (this.#isAnswered) this.#finishStep();
    if (this.#inStep) return;
    this.#inStep = true;
    for (const calls of [this.#begun, this.#whole, this.#asked, this.#sent]) calls.clear();
    this.chunks.push({ type: 'start-step' });
  }

  #finishStep(): void {
    if (!this.#inStep) return;
    this.#endBlocks();
    this.#endInputs();
    this.#inStep = false;
    this.#isAnswered = false;
    this.chunks.push({ type: 'finish-step' });
  }

  #say(type: Block, text: string): void {
    let id = this.#open.get(type);
    if (id === undefined) {
      this.#blocks += 1;
      id = `${type}-${this.#blocks}`;
      this.#open.set(type, id);
      this.chunks.push({ type: `${type}-start`, id });
    }
    if (type === 'text') this.#streamed += text;
    this.chunks.push({ type: `${type}-delta`, id, delta: text });
  }

  #endBlocks(): readonly string[] {
    const ids = [...this.#open.values()];
    for (const [type, id] of this.#open) this.chunks.push({ type: `${type}-end`, id });
    this.#open.clear();
    return ids;
  }

  /** Calls that were never made: whoever shows them would wait for the rest of their input. */
  #endInputs(): void {
    for (const toolCallId of this.#begun) {
      if (this.#whole.has(toolCallId)) continue;
      const errorText = 'The answer was broken off, so this call was not made.';
      this.chunks.push({ type: 'tool-output-error', toolCallId, errorText });
    }
    this.#begun.clear();
  }

  /** Deltas cannot be taken back, but whoever shows them can be notified. */
  #discard(): void {
    const ids = this.#endBlocks();
    this.#endInputs();
    this.#streamed = '';
    if (ids.length > 0) this.chunks.push({ type: 'data-discarded', data: { ids } });
  }

  /** Says what was not streamed of a text. */
  #sayRest(text: string): void {
    this.#goOn();
    if (!text.startsWith(this.#streamed)) this.#discard();
    const rest = text.slice(this.#streamed.length);
    if (rest !== '') this.#say('text', rest);
    this.#endBlocks();
  }

  #answer({ text, sources = [], files = [] }: IterationRecord): void {
    this.#sayRest(text);
    for (const { mediaType, data } of files) {
      const url = data.type === 'url' ? data.url : `data:${mediaType};base64,${data.data}`;
      this.chunks.push({ type: 'file', url, mediaType });
    }
    for (const source of sources) this.chunks.push(sourceChunk(source));
    this.#streamed = '';
    this.#isAnswered = true;
  }

  #toolInput(toolCallId: string, toolName: string, inputTextDelta: string): void {
    if (!this.#begun.has(toolCallId)) {
      this.#begun.add(toolCallId);
      this.chunks.push({ type: 'tool-input-start', toolCallId, toolName });
    }
    this.chunks.push({ type: 'tool-input-delta', toolCallId, inputTextDelta });
  }

  #inputAvailable(toolCallId: string, toolName: string, input: JsonValue): void {
    if (this.#whole.has(toolCallId)) return;
    this.#whole.add(toolCallId);
    this.chunks.push({ type: 'tool-input-available', toolCallId, toolName, input });
  }

  #approval(toolCallId: string, approvalId: string): void {
    if (this.#asked.has(toolCallId)) return;
    this.#asked.add(toolCallId);
    this.chunks.push({ type: 'tool-approval-request', approvalId, toolCallId });
  }

  #output({ id: toolCallId, tool, input, output }: ToolCallRecord): void {
    if (this.#sent.delete(toolCallId)) return;
    // A call that cannot be made has its result at once, and not every model streams its input.
    this.#inputAvailable(toolCallId, tool, input);
    if (output.type === 'execution-denied') this.chunks.push({ type: 'tool-output-denied', toolCallId });
    else if (output.type === 'error-text' || output.type === 'error-json') {
      const errorText = output.type === 'error-text' ? output.value : JSON.stringify(output.value);
      this.chunks.push({ type: 'tool-output-error', toolCallId, errorText });
    } else this.chunks.push({ type: 'tool-output-available', toolCallId, output: resultOf(output) });
  }
}

function sourceChunk(source: ModelSource): UIMessageChunk {
  const { id: sourceId } = source;
  if (source.sourceType === 'url') {
    const { url, title } = source;
    return { type: 'source-url', sourceId, url, ...(title !== undefined && { title }) };
  }
  const { mediaType, filename, title = filename ?? 'document' } = source;
  return { type: 'source-document', sourceId, mediaType, title, ...(filename !== undefined && { filename }) };
}

/** The nearest word of the AI SDK; the whole ending is beside it. */
function finishReasonOf({ termination, category }: AgentResult<Ending>): FinishReason {
  if (termination.kind === 'output_truncated') return 'length';
  if (termination.kind === 'agent_refused') return 'content-filter';
  if (category === 'success') return 'stop';
  if (category === 'paused') return 'tool-calls';
  return category === 'fatal' || category === 'retryable' ? 'error' : 'other';
}
