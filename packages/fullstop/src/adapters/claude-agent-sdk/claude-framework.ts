import { host } from '../../engines/port/host.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import type { ForeignCause, ForeignContinuation } from '../core/foreign-event.js';
import type { ForeignOutcome, ForeignStart, Framework } from '../core/framework.js';
import { toJournalJson } from '../core/journal-json.js';
import { causeOfThrown } from '../core/thrown-cause.js';
import { requestOf } from './deferred-call.js';
import { hooksOf } from './hooks.js';
import { MessageQueue, readFromQueue } from './message-queue.js';
import { causeOfLostResult, causeOfResult } from './result-cause.js';
import type { ClaudeHookInput, ClaudeMessage, ClaudeOptions, ClaudeQuery, ClaudeResult } from './structure.js';
import { TurnListener } from './turn-listener.js';

/** A call of `query`. */
export interface ClaudeCall {
  query(given: { readonly prompt: unknown; readonly options: object }): unknown;
  readonly name: string;
  readonly prompt: unknown;
  readonly options: ClaudeOptions;
  readonly streams: boolean;
}

/** A process that has said its last word and stays is not waited for any longer than this. */
const patienceAfterResultMs = 60_000;

/** The Claude Agent SDK as a framework. */
export function claudeFramework<TResult>(call: ClaudeCall): Framework<TResult> {
  return { name: 'claude-agent-sdk', call: (start) => new ClaudeRun<TResult>(call, start).run() };
}

class ClaudeRun<TResult> {
  readonly #call: ClaudeCall;
  readonly #start: ForeignStart<TResult>;
  readonly #listener = new TurnListener();
  readonly #queue = new MessageQueue();
  readonly #controller = new host.AbortController();
  #session: string | undefined;
  #turns = 0;
  #result: ClaudeResult | undefined;
  /** How many results were numbered before the last one that came, and whether one between them did not come. */
  #numbered = 0;
  #isLost = false;
  #hasLeft = false;
  #timer: unknown;

  constructor(call: ClaudeCall, start: ForeignStart<TResult>) {
    this.#call = call;
    this.#start = start;
    const { signal } = start;
    const forward = (): void => this.#controller.abort(signal.reason);
    if (signal.aborted) forward();
    else signal.addEventListener('abort', forward, { once: true });
  }

  async run(): Promise<ForeignOutcome<TResult>> {
    let thrown: { readonly error: unknown } | undefined;
    try {
      const query = this.#begin();
      if (this.#call.streams)
        this.#start.handOver(readFromQueue(query, this.#queue, () => this.#leave()) as unknown as TResult);
      await this.#read(query);
    } catch (error) {
      thrown = { error };
    }
    this.#listener.close();
    host.clearTimeout(this.#timer);
    const outcome = await this.#conclude(thrown);
    this.#queue.close(thrown);
    return outcome;
  }

  #begin(): ClaudeQuery {
    const { options, prompt } = this.#call;
    const { continuation } = this.#start;
    const session = sessionOf(continuation);
    const given = {
      ...options,
      ...(session !== undefined && { resume: session }),
      abortController: this.#controller,
      // Only the events of the stream say how many tokens an answer has; they are kept from readers who did not ask for them.
      includePartialMessages: true,
      hooks: hooksOf(options.hooks, {
        continuation,
        onFailure: (input) => this.#listener.hearFailure(input),
        onBatch: (input) => this.#weigh(input),
      }),
    };
    const asked = session === undefined ? prompt : promptToContinue(continuation);
    return this.#call.query({ prompt: asked, options: given }) as ClaudeQuery;
  }

  async #read(query: ClaudeQuery): Promise<void> {
    const isShown = this.#call.options.includePartialMessages === true;
    const isSingle = typeof this.#call.prompt === 'string';
    for (;;) {
      const { done, value } = await query.next();
      if (done === true) return;
      const message = value as ClaudeMessage;
      this.#session = message.session_id ?? this.#session;
      this.#listener.hear(message);
      if (message.type === 'result') this.#hearResult(message as ClaudeResult);
      if (message.type !== 'stream_event' || isShown) this.#queue.push(value);
      if (this.#result === undefined || !isSingle) continue;
      host.clearTimeout(this.#timer);
      this.#timer = host.setTimeout(() => void query.return?.(), patienceAfterResultMs);
    }
  }

  #hearResult(result: ClaudeResult): void {
    this.#result = result;
    const { result_index: index } = result;
    if (index === undefined) return;
    if (index > this.#numbered) this.#isLost = true;
    this.#numbered = index + 1;
  }

  /** All calls of an answer are through, and the next answer waits for the verdict. */
  async #weigh({ tool_calls: calls = [] }: ClaudeHookInput): Promise<boolean> {
    const step = await this.#listener.stepOfCalls(calls);
    if (step === undefined) return this.#start.isStopped();
    this.#turns += 1;
    return this.#start.step(step);
  }

  #leave(): void {
    this.#hasLeft = true;
  }

  async #conclude(thrown: { readonly error: unknown } | undefined): Promise<ForeignOutcome<TResult>> {
    const { continuation } = this.#start;
    const session = this.#session ?? sessionOf(continuation);
    const place: { readonly place?: JsonValue } = session === undefined ? {} : { place: { session } };
    const result = this.#call.streams ? undefined : (this.#result as TResult | undefined);
    const rest = { result, ...(thrown !== undefined && { thrown }), ...place };
    const deferred = this.#result?.terminal_reason === 'tool_deferred' ? this.#result.deferred_tool_use : undefined;
    if (deferred !== undefined) {
      await this.#reportLast([]);
      return { type: 'waiting', requests: [requestOf(deferred)], ...rest };
    }
    const cause = this.#causeOf(thrown);
    await this.#reportLast([cause]);
    const output = this.#result?.structured_output ?? this.#result?.result;
    return {
      type: 'settled',
      causes: [cause],
      ...rest,
      ...(output !== undefined && { output: toJournalJson(output) }),
    };
  }

  #causeOf(thrown: { readonly error: unknown } | undefined): ForeignCause {
    const { name: agent, options } = this.#call;
    const result = this.#result;
    if (this.#hasLeft && result === undefined) return left();
    if (result === undefined) {
      // The process went away without a word.
      if (thrown === undefined) return causeOfLostResult(undefined);
      const { signal } = this.#start;
      return { ...causeOfThrown(thrown.error, { agent, provider: 'anthropic', signal }), point: 'after_response' };
    }
    const { failure, stopReason } = this.#listener;
    const heard = this.#turns + (this.#listener.hasLast() ? 1 : 0);
    const seen = causeOfResult({ result, options, agent, turns: heard, failure, stopReason });
    return this.#isLost ? causeOfLostResult(seen) : seen;
  }

  async #reportLast(causes: readonly ForeignCause[]): Promise<void> {
    const step = this.#listener.lastStep();
    if (step === undefined) return;
    this.#turns += 1;
    await this.#start.step(step, causes);
  }
}

/** Whoever read the messages does not any more: nobody else can have wanted that. */
function left(): ForeignCause {
  const termination = { kind: 'cancelled', by: 'caller', reason: 'The messages were not read to their end.' } as Ending;
  return { slot: 'cancelled', point: 'after_response', termination };
}

function sessionOf(continuation: ForeignContinuation | undefined): string | undefined {
  const place = continuation?.place as { readonly session?: unknown } | undefined;
  return typeof place?.session === 'string' ? place.session : undefined;
}

/** A session that waits for an answer continues with it; one that was stopped has to be told to. */
function promptToContinue(continuation: ForeignContinuation | undefined): string {
  return (continuation?.requests.length ?? 0) > 0 ? '' : 'Continue from where you left off.';
}
