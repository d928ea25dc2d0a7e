import type { RunRequest } from '../../engines/port/request.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import { causeOfAnswer } from '../core/answer-cause.js';
import type { ForeignCause, ForeignContinuation } from '../core/foreign-event.js';
import type { ForeignOutcome, ForeignStart, Framework } from '../core/framework.js';
import { toJournalJson } from '../core/journal-json.js';
import { causeOfThrown, property } from '../core/thrown-cause.js';
import { finishIn } from './read-finish.js';
import { callsIn, isIncomplete, readArguments, refusalIn, resultsOf, textIn } from './read-items.js';
import type {
  AgentItem,
  AgentModelResponse,
  AgentResult,
  AgentRunOptions,
  AgentRunState,
  FilterArguments,
} from './structure.js';
import { atIteration, causeOfAgentsError, type RunFacts } from './thrown-error.js';
import { isHeardAtModel, type ModelListener, watchAgent, watchRunner } from './watch-agent.js';

/** A call of `run`, or of a runner's. */
export interface AgentsCall {
  /** The function, or a runner. */
  readonly called: unknown;
  readonly agent: unknown;
  readonly name: string;
  readonly model: string;
  readonly input: unknown;
  readonly options: AgentRunOptions;
  /** Reads a state that was written down, where another process continues. */
  readonly restore: ((state: string) => unknown) | undefined;
}

/** The turns after which the SDK stops unless it is told otherwise. */
const usualTurns = 10;

/** The OpenAI Agents SDK as a framework. */
export function openaiAgentsFramework<TResult>(call: AgentsCall): Framework<TResult> {
  const kept: { state?: AgentRunState } = {};
  return {
    name: 'openai-agents',
    call: (start) => new AgentsRun<TResult>(call, start, kept).run(),
  };
}

class AgentsRun<TResult> {
  readonly #call: AgentsCall;
  readonly #start: ForeignStart<TResult>;
  readonly #kept: { state?: AgentRunState };
  readonly #stopped = new Error('Fullstop ended the run.');
  /** How many items of the conversation are known; undefined before the first call of the model. */
  #known: number | undefined;
  #turns = 0;
  /** The answer of a watched model that was not reported yet. */
  #answer: AgentModelResponse | undefined;
  /** The provider's word for why its last answer ended. */
  #finishWord: string | undefined;
  #handled: Cause | undefined;

  constructor(call: AgentsCall, start: ForeignStart<TResult>, kept: { state?: AgentRunState }) {
    this.#call = call;
    this.#start = start;
    this.#kept = kept;
  }

  async run(): Promise<ForeignOutcome<TResult>> {
    try {
      const result = (await this.#invoke()) as TResult & AgentResult;
      if (this.#call.options.stream !== true) return await this.#finish(result, result);
      this.#start.handOver(result);
      await result.completed;
      if (result.error !== undefined && result.error !== null) return this.#thrown(result.error);
      if (result.cancelled === true) return this.#thrown(this.#start.signal.reason);
      return await this.#finish(result, result);
    } catch (error) {
      return this.#thrown(error);
    }
  }

  async #invoke(): Promise<unknown> {
    const { called, options } = this.#call;
    // With a filter the SDK copies and compares the whole conversation at every turn, so it is for runs that already have one, or whose models cannot all be watched.
    const isAtModel = options.callModelInputFilter === undefined && isHeardAtModel(this.#call.agent);
    const listener: ModelListener = {
      before: isAtModel ? (items) => this.#beforeWatched(items) : undefined,
      after: (response) => {
        this.#answer = response;
      },
      finished: (word) => {
        this.#finishWord = word;
      },
    };
    const given = {
      ...options,
      signal: this.#start.signal,
      ...(!isAtModel && { callModelInputFilter: this.#filter() }),
      ...(options.errorHandlers !== undefined && { errorHandlers: this.#watchHandlers(options.errorHandlers) }),
    };
    const agent = watchAgent(this.#call.agent, listener);
    const input = await this.#input();
    if (typeof called === 'function') return called(agent, input, given);
    const runner = watchRunner(called as object, listener) as {
      run(agent: unknown, input: unknown, options: object): unknown;
    };
    return runner.run(agent, input, given);
  }

  /** The input of the call: the same as before, the state that was kept, or the whole conversation so far. */
  async #input(): Promise<unknown> {
    const { continuation } = this.#start;
    if (continuation === undefined) return this.#call.input;
    const state = await this.#state(continuation);
    if (state === undefined) return [...askedItems(this.#call.input), ...continuation.messages];
    answerRequests(state, continuation);
    return state;
  }

  async #state({ place }: ForeignContinuation): Promise<AgentRunState | undefined> {
    const written = property(place, 'state');
    if (typeof written !== 'string') return undefined;
    const { state } = this.#kept;
    if (state !== undefined) return state;
    const { restore } = this.#call;
    if (restore !== undefined) return (await restore(written)) as AgentRunState;
    throw new FullstopError(
      'INVALID_OPTION',
      'The run waits in a state of the OpenAI Agents SDK that was written down. Give restore: (state) => RunState.fromString(agent, state), so that it can be read.',
    );
  }

  /** Between two calls of a watched model: a call that is made again after a failure brings nothing new. */
  async #beforeWatched(items: readonly AgentItem[]): Promise<void> {
    if (this.#start.isStopped()) throw this.#stopped;
    if (this.#answer !== undefined) await this.#weighLast(items);
  }

  /** The other door between two calls of the model: the filter of their input, ours before the caller's own. */
  #filter(): object {
    const { callModelInputFilter: own } = this.#call.options;
    const filter = own as ((given: FilterArguments) => unknown) | undefined;
    const watched = async (given: FilterArguments): Promise<unknown> => {
      const { input } = given.modelData;
      if (this.#known !== undefined || this.#answer !== undefined) await this.#weighLast(input);
      this.#known = input.length;
      return filter === undefined ? given.modelData : await filter(given);
    };
    return Object.assign(watched, { preserveInputIdentity: property(own, 'preserveInputIdentity') ?? true });
  }

  /** Weighs what the last call of the model brought; a run that has to stop gets no further. */
  async #weighLast(items: readonly AgentItem[]): Promise<void> {
    const { output } = this.#answer ?? {};
    const fresh = output === undefined ? this.#newItems(items) : [...output, ...resultsOf(output, items)];
    if (await this.#report(fresh, [])) throw this.#stopped;
  }

  #newItems(items: readonly AgentItem[]): readonly AgentItem[] {
    const known = this.#known ?? items.length;
    // A conversation that the provider keeps is not sent again: all that is there is new.
    return items.length >= known ? items.slice(known) : items;
  }

  #report(items: readonly AgentItem[], causes: readonly ForeignCause[], usage = this.#answer?.usage): Promise<boolean> {
    this.#turns += 1;
    this.#answer = undefined;
    return this.#start.step(
      {
        model: this.#call.model,
        text: textIn(items),
        usage: { inputTokens: usage?.inputTokens, outputTokens: usage?.outputTokens },
        calls: callsIn(items),
        messages: items.map(toJournalJson),
      },
      causes,
    );
  }

  async #finish(result: AgentResult, own: TResult): Promise<ForeignOutcome<TResult>> {
    const { interruptions = [], state } = result;
    const last = result.rawResponses.at(-1);
    const items = lastItems(result);
    const usage = last?.usage;
    if (interruptions.length > 0) {
      this.#kept.state = state;
      await this.#report(items, [], usage);
      return { type: 'waiting', requests: interruptions.map(requestOf), result: own, place: placeOf(state) };
    }
    const { finalOutput } = result;
    const handled = this.#handled;
    this.#finishWord ??= finishIn(last?.providerData);
    const cause = handled === undefined ? this.#causeOf(result, items) : atIteration(handled);
    await this.#report(items, [cause], usage);
    const output = finalOutput !== undefined && { output: toJournalJson(finalOutput) };
    return { type: 'settled', causes: [cause], ...output, result: own };
  }

  #causeOf({ newItems }: AgentResult, items: readonly AgentItem[]): ForeignCause {
    const last = newItems.at(-1);
    if (last?.type === 'tool_call_output_item') {
      // The behaviour of the agent says that the result of this tool is the output.
      const tool = last.rawItem.name ?? callsIn(items).at(-1)?.tool ?? '';
      return { slot: 'goal', point: 'after_tools', termination: { kind: 'tool_called', tool } as Ending };
    }
    const refusal = refusalIn(items);
    const finish = isIncomplete(items) ? 'length' : (this.#finishWord ?? 'stop');
    const { name: agent } = this.#call;
    if (refusal !== undefined) return causeOfAnswer({ agent, text: refusal, finish: 'refusal', rawFinish: 'refusal' });
    return causeOfAnswer({ agent, text: textIn(items), finish });
  }

  #thrown(error: unknown): ForeignOutcome<TResult> {
    const { name: agent, model } = this.#call;
    const state = property(error, 'state') as AgentRunState | undefined;
    const known = causeOfAgentsError(error, this.#facts());
    const provider = model.includes('/') ? (model.split('/')[0] ?? '') : 'openai';
    const cause = known ?? causeOfThrown(error, { agent, provider, signal: this.#start.signal });
    const isLimit = cause.termination.kind === 'max_iterations';
    if (isLimit && state !== undefined) this.#kept.state = state;
    return {
      type: 'settled',
      causes: [cause],
      thrown: { error },
      ...(isLimit && state !== undefined && { place: placeOf(state) }),
    };
  }

  #facts(): RunFacts {
    const { name: agent, options } = this.#call;
    const { maxTurns = usualTurns } = options;
    return { agent, maxTurns, turns: this.#turns, finish: this.#finishWord };
  }

  /** An error that is handled leaves no trace in the result, so what was handled is remembered here. */
  #watchHandlers(handlers: NonNullable<AgentRunOptions['errorHandlers']>): object {
    return Object.fromEntries(
      Object.entries(handlers).map(([kind, handler]) => [
        kind,
        async (given: { readonly error: unknown }): Promise<unknown> => {
          const handled: unknown = await (handler as (given: unknown) => unknown)(given);
          if (handled !== undefined) this.#handled = causeOfAgentsError(given.error, this.#facts());
          return handled;
        },
      ]),
    );
  }
}

function placeOf(state: AgentRunState): JsonValue {
  return { state: state.toString() };
}

/** The items of the last answer and of what followed it. */
function lastItems({ rawResponses, newItems }: AgentResult): readonly AgentItem[] {
  const output = rawResponses.at(-1)?.output ?? [];
  const ids = new Set(output.flatMap(({ callId }) => (callId === undefined ? [] : [callId])));
  const results = newItems.flatMap(({ type, rawItem }) =>
    type === 'tool_call_output_item' && rawItem.callId !== undefined && ids.has(rawItem.callId) ? [rawItem] : [],
  );
  return [...output, ...results];
}

function requestOf({ rawItem, name }: { readonly rawItem: AgentItem; readonly name?: string }): RunRequest {
  const tool = name ?? rawItem.name ?? '';
  return { id: rawItem.callId ?? tool, type: 'approval', tool, input: readArguments(rawItem.arguments) };
}

/** Tells the state what people have decided. */
function answerRequests(state: AgentRunState, { requests, answers }: ForeignContinuation): void {
  const open = state.getInterruptions?.() ?? [];
  for (const { id } of requests) {
    const item = open.find(({ rawItem }) => rawItem.callId === id);
    const answer = answers.find(({ requestId }) => requestId === id);
    if (item === undefined || answer === undefined) continue;
    if (answer.decision === 'approve') state.approve(item);
    else state.reject(item, answer.reason === undefined ? undefined : { message: answer.reason });
  }
}

function askedItems(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return input;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : [];
}
