import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { ForeignCall, ForeignStep } from '../core/foreign-event.js';
import { toJournalJson } from '../core/journal-json.js';
import type { ClaudeBlock, ClaudeHookInput, ClaudeMessage, ClaudeUsage } from './structure.js';

/** An answer of a model as far as it was heard; it comes in several messages with the same id. */
interface Answer {
  readonly id: string | undefined;
  readonly model: string;
  readonly blocks: ClaudeBlock[];
  usage: ClaudeUsage;
  stopReason: string | undefined;
  readonly results: ClaudeBlock[];
}

/** Puts the messages of a query together to steps: an answer of a model with the results of its calls. */
export class TurnListener {
  /** The answers under way, of the main loop under '' and of agents inside calls under the id of their call. */
  readonly #answers = new Map<string, Answer>();
  readonly #failures = new Map<string, string>();
  readonly #waiting = new Map<string, () => void>();
  #isOver = false;
  /** The SDK's word on the last model call that failed. */
  failure: string | undefined;
  /** The model's word for why the last answer of the main loop ended. */
  stopReason: string | undefined;

  hear(message: ClaudeMessage): void {
    const loop = message.parent_tool_use_id ?? '';
    if (message.type === 'assistant') this.#hearAnswer(loop, message);
    else if (message.type === 'stream_event') this.#hearEvent(loop, message);
    else if (message.type === 'user') this.#hearResults(loop, message);
  }

  /** Hears of a call that failed; its result comes as any other. */
  hearFailure({ tool_use_id: id, error }: ClaudeHookInput): void {
    if (id !== undefined) this.#failures.set(id, error ?? '');
  }

  /** The step of some calls that are through, once the answer with them was heard; undefined when the query is over. */
  async stepOfCalls(calls: NonNullable<ClaudeHookInput['tool_calls']>): Promise<ForeignStep | undefined> {
    const [first] = calls;
    if (first === undefined) return undefined;
    if (this.#loopOf(first.tool_use_id) === undefined && !this.#isOver)
      await new Promise<void>((resolve) => this.#waiting.set(first.tool_use_id, resolve));
    const loop = this.#loopOf(first.tool_use_id);
    const answer = loop === undefined ? undefined : this.#answers.get(loop);
    if (loop === undefined || answer === undefined) return undefined;
    this.#answers.delete(loop);
    return stepOf(
      answer,
      calls.map((call) => this.#callOf(call.tool_name, call.tool_input, call.tool_use_id, call.tool_response)),
    );
  }

  /** True when there is an answer of the main loop that was not reported yet. */
  hasLast(): boolean {
    return this.#answers.has('');
  }

  /** The last answer of the main loop, where nothing was reported of it yet. */
  lastStep(): ForeignStep | undefined {
    const answer = this.#answers.get('');
    if (answer === undefined) return undefined;
    this.#answers.delete('');
    const calls = answer.results.flatMap((result): ForeignCall[] => {
      const call = answer.blocks.find(({ id }) => id !== undefined && id === result.tool_use_id);
      if (result.is_error === true) this.#failures.set(result.tool_use_id ?? '', textOfResult(result.content));
      return call === undefined
        ? []
        : [this.#callOf(call.name ?? '', call.input, result.tool_use_id ?? '', result.content)];
    });
    return stepOf(answer, calls);
  }

  /** Nothing more will be heard. */
  close(): void {
    this.#isOver = true;
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }

  #hearAnswer(loop: string, { message = {}, error }: ClaudeMessage): void {
    const { id, model = '', content = [], usage = {} } = message;
    if (error !== undefined) {
      this.failure = error;
      return;
    }
    const known = this.#answers.get(loop);
    const answer =
      known?.id === id && known !== undefined
        ? known
        : { id, model, blocks: [], usage, stopReason: undefined, results: [] };
    this.#answers.set(loop, answer);
    if (message.stop_reason !== null && message.stop_reason !== undefined) answer.stopReason = message.stop_reason;
    const blocks: readonly ClaudeBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    answer.blocks.push(...blocks);
    for (const block of blocks) {
      const resolve = this.#waiting.get(block.id ?? '');
      this.#waiting.delete(block.id ?? '');
      resolve?.();
    }
  }

  /** The events of a stream have what messages lack: the tokens of the whole answer, and why it ended. */
  #hearEvent(loop: string, { event }: ClaudeMessage): void {
    const answer = this.#answers.get(loop);
    if (event?.type !== 'message_delta' || answer === undefined) return;
    answer.usage = { ...answer.usage, ...event.usage };
    answer.stopReason = event.delta?.stop_reason ?? answer.stopReason;
    if (loop === '') this.stopReason = answer.stopReason;
  }

  #hearResults(loop: string, { message }: ClaudeMessage): void {
    const content = message?.content;
    if (!Array.isArray(content)) return;
    const blocks = content as readonly ClaudeBlock[];
    this.#answers.get(loop)?.results.push(...blocks.filter(({ type }) => type === 'tool_result'));
  }

  #loopOf(callId: string): string | undefined {
    for (const [loop, { blocks }] of this.#answers) if (blocks.some(({ id }) => id === callId)) return loop;
    return undefined;
  }

  #callOf(tool: string, input: unknown, id: string, response: unknown): ForeignCall {
    const text = textOfResult(response);
    const unknownTool = text.startsWith('<tool_use_error>Error: No such tool available');
    const failure = this.#failures.get(id) ?? (text.startsWith('<tool_use_error>') ? text : undefined);
    this.#failures.delete(id);
    const named = { tool, input: toJournalJson(input) };
    if (failure === undefined) return { ...named, result: resultOf(response) };
    const error = toErrorData(new Error(failure), { stack: false });
    return { ...named, result: failure, error, ...(unknownTool && { mistake: 'unknown_tool' as const }) };
  }
}

function stepOf({ model, blocks, usage, stopReason, results }: Answer, calls: readonly ForeignCall[]): ForeignStep {
  const { input_tokens: fresh, output_tokens: outputTokens, cache_read_input_tokens: cached } = usage;
  const { cache_creation_input_tokens: created } = usage;
  const inputTokens = fresh === undefined || fresh === null ? undefined : fresh + (cached ?? 0) + (created ?? 0);
  return {
    model,
    text: blocks.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join(''),
    finish: stopReason,
    usage: { inputTokens, outputTokens: outputTokens ?? undefined, ...(cached && { cachedInputTokens: cached }) },
    calls,
    messages: [
      { role: 'assistant', content: toJournalJson(blocks) },
      ...(results.length > 0 ? [{ role: 'user', content: toJournalJson(results) }] : []),
    ],
  };
}

/** The result of a call: the text of its parts where there is nothing else in it. */
function resultOf(response: unknown): JsonValue {
  const isText = Array.isArray(response) && response.every((part: ClaudeBlock) => part?.type === 'text');
  return isText ? textOfResult(response) : toJournalJson(response);
}

function textOfResult(response: unknown): string {
  if (typeof response === 'string') return response;
  if (!Array.isArray(response)) return '';
  return response.map((part: ClaudeBlock) => (part?.type === 'text' ? (part.text ?? '') : '')).join('');
}
