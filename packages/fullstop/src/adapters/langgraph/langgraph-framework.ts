import { host } from '../../engines/port/host.js';
import type { RunRequest } from '../../engines/port/request.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonValue } from '../../termination/json.js';
import { causeOfAnswer } from '../core/answer-cause.js';
import { anySignal } from '../core/any-signal.js';
import type { ForeignCause, ForeignContinuation } from '../core/foreign-event.js';
import type { ForeignOutcome, ForeignStart, Framework } from '../core/framework.js';
import { toJournalJson } from '../core/journal-json.js';
import { causeOfThrown, nameOfError, property, textOf } from '../core/thrown-cause.js';
import { GraphListener } from './graph-listener.js';
import { finishOfMessage, refusalOfMessage, textOfMessage, typeOfMessage } from './read-message.js';
import type { ChainInterrupt, ChainMessage, GraphConfig, GraphLike } from './structure.js';
import { causeOfGraphError, causeOfModelLimit } from './thrown-error.js';

/** A call of a graph, or of an agent of LangChain. */
export interface GraphCall {
  readonly graph: GraphLike;
  readonly name: string;
  readonly input: unknown;
  readonly config: GraphConfig;
  readonly streams: boolean;
}

const noCheckpointer = 'the graph has no checkpointer with a thread_id, so LangGraph kept nothing to continue from';

/** LangGraph as a framework. */
export function langgraphFramework<TResult>(call: GraphCall): Framework<TResult> {
  return { name: 'langgraph', call: (start) => new GraphRun<TResult>(call, start).run() };
}

class GraphRun<TResult> {
  readonly #call: GraphCall;
  readonly #start: ForeignStart<TResult>;
  readonly #listener: GraphListener;
  readonly #stopping = new host.AbortController();
  readonly #startedAt = Date.now();
  #isThrough: (outcome: ForeignOutcome<TResult>) => void = () => undefined;

  constructor(call: GraphCall, start: ForeignStart<TResult>) {
    this.#call = call;
    this.#start = start;
    this.#listener = new GraphListener(
      (step, causes) => start.step(step, causes),
      () => this.#stopping.abort(Object.assign(new Error('Fullstop ended the run.'), { name: 'AbortError' })),
    );
  }

  async run(): Promise<ForeignOutcome<TResult>> {
    const { graph, streams } = this.#call;
    try {
      if (!streams) return await this.#finish((await graph.invoke(this.#input(), this.#config())) as TResult);
      const through = new Promise<ForeignOutcome<TResult>>((resolve) => {
        this.#isThrough = resolve;
      });
      this.#start.handOver((await graph.stream?.(this.#input(), this.#config())) as TResult);
      return await through;
    } catch (error) {
      return this.#thrown(error);
    }
  }

  /** The input: what was asked, the answers of people, or nothing where the thread just continues. */
  #input(): unknown {
    const { continuation } = this.#start;
    if (continuation === undefined) return this.#call.input;
    return continuation.requests.length === 0 ? null : resumeCommand(continuation);
  }

  #config(): object {
    const { config, streams } = this.#call;
    const { callbacks } = config;
    const given = Array.isArray(callbacks) ? callbacks : [];
    const handlers = [...given, this.#listener.handler, ...(streams ? [this.#rootHandler()] : [])];
    // A manager of callbacks is copied by LangChain itself; handlers are added to it.
    const addHandler = property(callbacks, 'addHandler');
    if (typeof addHandler === 'function')
      for (const handler of handlers) Reflect.apply(addHandler, callbacks, [handler, true]);
    return {
      ...config,
      callbacks: typeof addHandler === 'function' ? callbacks : handlers,
      signal: anySignal(this.#start.signal, this.#stopping.signal),
    };
  }

  /** How a stream ends is heard through the callbacks of the whole graph. */
  #rootHandler(): object {
    const settle = (isRoot: boolean, outcome: () => Promise<ForeignOutcome<TResult>>): void => {
      if (isRoot) void outcome().then(this.#isThrough);
    };
    return {
      awaitHandlers: true,
      handleChainEnd: (output: unknown, _runId: string, parentRunId?: string) =>
        settle(parentRunId === undefined, async () =>
          this.#finish((await this.#stateOrOutput(output)) as TResult, true),
        ),
      handleChainError: (error: unknown, _runId: string, parentRunId?: string) =>
        settle(parentRunId === undefined, () => this.#thrown(error)),
    };
  }

  async #stateOrOutput(output: unknown): Promise<unknown> {
    return (await this.#storedState()) ?? output;
  }

  async #finish(state: TResult, isStream = false): Promise<ForeignOutcome<TResult>> {
    const result = isStream ? undefined : state;
    const interrupts = property(state, '__interrupt__') as readonly ChainInterrupt[] | undefined;
    if (Array.isArray(interrupts) && interrupts.length > 0) {
      await this.#listener.finish([]);
      return { type: 'waiting', requests: interrupts.map(requestOf), result, place: this.#place() };
    }
    const messages = property(state, 'messages');
    const last = Array.isArray(messages) ? (messages.at(-1) as ChainMessage | undefined) : this.#listener.last;
    const cause = this.#causeOf(last);
    const output = this.#listener.last === undefined && last === undefined ? toJournalJson(state) : textOfMessage(last);
    await this.#listener.finish([cause]);
    return { type: 'settled', causes: [cause], output, result, ...this.#resumability() };
  }

  #causeOf(last: ChainMessage | undefined): ForeignCause {
    const { name: agent } = this.#call;
    // A graph without messages is through when it has reached its end.
    if (last === undefined) return goal({ kind: 'flow_completed', last: '__end__' });
    if (typeOfMessage(last) === 'tool') return goal({ kind: 'tool_called', tool: last.name ?? '' }, 'after_tools');
    const text = textOfMessage(last);
    const limit = causeOfModelLimit(text);
    if (limit !== undefined) return { ...limit, point: 'after_response' };
    const refusal = refusalOfMessage(last);
    if (refusal !== undefined) return causeOfAnswer({ agent, text: refusal, finish: 'refusal', rawFinish: 'refusal' });
    const finish = finishOfMessage(last) ?? 'stop';
    return causeOfAnswer({ agent, text, finish, hasCalls: (last.tool_calls ?? []).length > 0 });
  }

  async #thrown(error: unknown): Promise<ForeignOutcome<TResult>> {
    const { config, name } = this.#call;
    const { signal } = this.#start;
    const known = signal.aborted ? undefined : causeOfGraphError(error, config, Date.now() - this.#startedAt);
    const cause: Cause = known ?? causeOfThrown(error, { agent: name, provider: providerOf(error, name), signal });
    await this.#listener.finish([]);
    const state = this.#stopping.signal.aborted ? ((await this.#storedState()) as TResult | undefined) : undefined;
    return { type: 'settled', causes: [cause], thrown: { error }, result: state, ...this.#resumability() };
  }

  /** The state that the checkpointer has of the thread; undefined where there is none. */
  async #storedState(): Promise<object | undefined> {
    const { graph, config } = this.#call;
    if (!this.#isKept() || graph.getState === undefined) return undefined;
    try {
      const snapshot: unknown = await graph.getState(config);
      const values = property(snapshot, 'values');
      const tasks = property(snapshot, 'tasks');
      const interrupts = Array.isArray(tasks)
        ? tasks.flatMap((task) => (property(task, 'interrupts') as readonly unknown[] | undefined) ?? [])
        : [];
      return { ...(values as object), ...(interrupts.length > 0 && { __interrupt__: interrupts }) };
    } catch {
      // A store that cannot be read leaves the run without a partial result, not without an ending.
      return undefined;
    }
  }

  #isKept(): boolean {
    const { graph, config } = this.#call;
    return Boolean(graph.checkpointer) && config.configurable?.['thread_id'] !== undefined;
  }

  #place(): JsonValue {
    return { thread: toJournalJson(this.#call.config.configurable?.['thread_id']) };
  }

  #resumability(): { readonly place?: JsonValue; readonly notResumable?: string } {
    return this.#isKept() ? { place: this.#place() } : { notResumable: noCheckpointer };
  }
}

function goal(
  termination: { readonly kind: string } & Readonly<Record<string, unknown>>,
  point: ForeignCause['point'] = 'after_response',
): ForeignCause {
  return { slot: 'goal', point, termination: termination as unknown as Ending };
}

function providerOf(error: unknown, fallback: string): string {
  return nameOfError(error) === '' ? fallback : '';
}

/** A question: a call for the client, the review of calls that LangChain's middleware asks for, or whatever the graph wants to know. */
function requestOf({ id: own, value }: ChainInterrupt, index: number): RunRequest {
  const id = own ?? `interrupt_${index + 1}`;
  const call = property(value, 'type') === 'tool' ? property(value, 'toolCall') : undefined;
  const called = textOf(property(call, 'name'));
  if (called !== undefined)
    return { id, type: 'client_tool', tool: called, input: toJournalJson(property(call, 'args')) };
  const actions = property(value, 'actionRequests');
  const first: unknown = Array.isArray(actions) ? actions[0] : undefined;
  const tool = property(first, 'name') ?? property(first, 'action');
  return {
    id,
    type: first === undefined ? 'input' : 'approval',
    ...(typeof tool === 'string' && { tool }),
    input: toJournalJson(value),
  };
}

/** LangGraph recognises commands by their name, so that this needs no import. */
function resumeCommand({ requests, answers }: ForeignContinuation): object {
  const values = requests.map(({ id, type, input }) => {
    const answer = answers.find(({ requestId }) => requestId === id);
    const { decision, value, reason } = answer ?? { decision: 'deny' as const, value: undefined, reason: undefined };
    if (type !== 'approval') return [id, decision === 'deny' ? { denied: true, reason } : (value ?? true)] as const;
    const count = (property(input, 'actionRequests') as readonly unknown[] | undefined)?.length ?? 1;
    const one =
      decision === 'approve'
        ? { type: 'approve' }
        : { type: 'reject', ...(reason !== undefined && { message: reason }) };
    return [id, value ?? { decisions: Array.from({ length: count }, () => one) }] as const;
  });
  const [only] = values;
  const resume = values.length === 1 ? only?.[1] : Object.fromEntries(values);
  return { lg_name: 'Command', lc_direct_tool_output: true, resume, goto: [], _updateAsTuples: () => [] };
}
