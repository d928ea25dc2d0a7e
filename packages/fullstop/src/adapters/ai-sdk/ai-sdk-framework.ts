import { host } from '../../engines/port/host.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { JsonValue } from '../../termination/json.js';
import { causeOfAnswer } from '../core/answer-cause.js';
import type { ForeignCause } from '../core/foreign-event.js';
import type { ForeignOutcome, ForeignStart, Framework } from '../core/framework.js';
import { toJournalJson } from '../core/journal-json.js';
import { causeOfThrown, nameOfError, property } from '../core/thrown-cause.js';
import { continuedMessages } from './continue-call.js';
import { approvalsIn, clientRequestsIn, readStep } from './read-step.js';
import { firedPredicates, predicatesOf } from './stop-predicates.js';
import type { AiCallOptions, AiPredicate, AiResult, AiStep } from './structure.js';
import { watchModel } from './watch-model.js';

/** A call of the AI SDK: `generateText`, `streamText`, or a method of an agent. */
export interface AiCall {
  readonly options: AiCallOptions;
  /** The steps after which the AI SDK stops unless it is told otherwise. */
  readonly usualSteps: number;
  /** The predicates of an agent's own settings, which hold unless the call brings some. */
  readonly stopWhen: unknown;
  readonly agent: string;
  readonly provider: string;
  readonly model: string;
  /** The model itself, where the call brings one. */
  readonly languageModel: unknown;
  readonly timeout: unknown;
  invoke(options: object): unknown;
}

/** The AI SDK as a framework; `streams` says whether the call returns before it is through. */
export function aiSdkFramework<TResult>(call: AiCall, streams: boolean): Framework<TResult> {
  return {
    name: 'ai-sdk',
    call: (start) => new AiSdkCall(call, start).run(streams),
  };
}

class AiSdkCall<TResult> {
  readonly #call: AiCall;
  readonly #start: ForeignStart<TResult>;
  readonly #startedAt = Date.now();
  /** How many steps of this call were reported, and how many messages they had added. */
  #reported = 0;
  #messages = 0;

  constructor(call: AiCall, start: ForeignStart<TResult>) {
    this.#call = call;
    this.#start = start;
  }

  async run(streams: boolean): Promise<ForeignOutcome<TResult>> {
    try {
      return streams ? await this.#stream() : await this.#generate();
    } catch (error) {
      return this.#thrown(error);
    }
  }

  async #generate(): Promise<ForeignOutcome<TResult>> {
    const result = (await this.#call.invoke(this.#options())) as TResult;
    return this.#finish(result as TResult & AiResult, result);
  }

  /** The stream belongs to the caller; how it ends is heard through the callbacks that the AI SDK has for that. */
  #stream(): Promise<ForeignOutcome<TResult>> {
    return new Promise((resolve, reject) => {
      const given = this.#call.options as Readonly<Record<string, ((event: never) => unknown) | undefined>>;
      let handed: TResult | undefined;
      const then =
        (name: string, settle: (event: never) => PromiseLike<ForeignOutcome<TResult>> | ForeignOutcome<TResult>) =>
        async (event: never): Promise<void> => {
          Promise.resolve(settle(event)).then(resolve, reject);
          await given[name]?.(event);
        };
      const model = watchModel(this.#call.languageModel, {
        onBroken: (error) => resolve(this.#thrown(error)),
        onLeft: (reason) => resolve(this.#left(reason)),
      });
      const options = {
        ...this.#options(),
        ...(this.#call.options.model !== undefined && { model }),
        onFinish: then('onFinish', (event: AiResult) => this.#finish(event, handed)),
        onAbort: then('onAbort', () => this.#thrown(this.#start.signal.reason)),
        // Without a listener the AI SDK writes errors to the console; ours must not keep it from that.
        onError: async (event: { readonly error: unknown }): Promise<void> => {
          resolve(this.#thrown(event.error));
          if (given['onError'] === undefined) host.console?.error(event.error);
          else await given['onError'](event as never);
        },
      };
      const settled = Promise.resolve(this.#call.invoke(options) as PromiseLike<TResult>);
      settled.then((result) => {
        handed = result;
        this.#start.handOver(result);
      }, reject);
    });
  }

  #options(): object {
    const { options, stopWhen, usualSteps } = this.#call;
    const { continuation, signal } = this.#start;
    const predicates = predicatesOf(options.stopWhen ?? stopWhen, usualSteps);
    const watched: AiPredicate = async (given) => {
      const causes = await firedPredicates(predicates, given);
      const stop = await this.#report(given.steps, causes);
      return stop || causes.length > 0;
    };
    const { prompt: _prompt, messages: _messages, ...others } = options;
    const conversation = continuation === undefined ? {} : { messages: continuedMessages(options, continuation) };
    return {
      ...(continuation === undefined ? options : others),
      ...conversation,
      stopWhen: watched,
      abortSignal: signal,
    };
  }

  /** Reports the steps that were not reported yet; the causes belong to the last of them. */
  async #report(steps: readonly AiStep[], causes: readonly ForeignCause[]): Promise<boolean> {
    let stop = false;
    for (let index = this.#reported; index < steps.length; index += 1) {
      const step = steps[index] as AiStep;
      const read = readStep(step, this.#call.model, this.#messages);
      this.#reported += 1;
      this.#messages = step.response.messages.length;
      stop = await this.#start.step(read, index === steps.length - 1 ? causes : []);
    }
    return stop;
  }

  async #finish({ steps }: AiResult, result: TResult | undefined): Promise<ForeignOutcome<TResult>> {
    const last = steps.at(-1);
    if (last === undefined) return { type: 'settled', causes: [indeterminate()], result };
    const requests = requestsOf(last);
    if (this.#reported === steps.length) return { type: 'settled', causes: [indeterminate()], result };
    if (requests.length > 0) {
      await this.#report(steps, []);
      return { type: 'waiting', requests, result };
    }
    const { agent, options } = this.#call;
    const calls = last.content.some(({ type }) => type === 'tool-call');
    const cause = causeOfAnswer({
      agent,
      text: last.text,
      finish: last.finishReason,
      rawFinish: last.rawFinishReason,
      hasCalls: calls,
      hasOther: last.content.some(({ type }) => type === 'file'),
      cap: options.maxOutputTokens,
    });
    await this.#report(steps, [cause]);
    const output = this.#output(result);
    return { type: 'settled', causes: [cause], result, ...(output !== undefined && { output }) };
  }

  /** The output that fits the schema, if the call has one. Reading it may throw, which the caller is to see and not we. */
  #output(result: TResult | undefined): JsonValue | undefined {
    const { output, experimental_output: old } = this.#call.options;
    if (output === undefined && old === undefined) return undefined;
    const value = property(result, output === undefined ? 'experimental_output' : 'output');
    return value === undefined || typeof property(value, 'then') === 'function' ? undefined : toJournalJson(value);
  }

  /** Whoever read the stream does not any more: nobody else can have wanted that. */
  #left(reason: unknown): ForeignOutcome<TResult> {
    const why = typeof reason === 'string' && reason !== '' ? reason : 'The stream was not read to its end.';
    const termination = { kind: 'cancelled', by: 'caller', reason: why } as Ending;
    return { type: 'settled', causes: [{ slot: 'cancelled', termination }] };
  }

  #thrown(error: unknown): ForeignOutcome<TResult> {
    const { agent, provider } = this.#call;
    const thrown = { error };
    const own = this.#timedOut(error) ?? unfitOutput(error);
    const cause: Cause = own ?? causeOfThrown(error, { agent, provider, signal: this.#start.signal });
    return { type: 'settled', causes: [cause], thrown };
  }

  /** The AI SDK's own limit of time, which it throws like any other abort. */
  #timedOut(error: unknown): Cause | undefined {
    const { timeout } = this.#call;
    if (timeout === undefined || this.#start.signal.aborted || nameOfError(error) !== 'TimeoutError') return undefined;
    const elapsed = Date.now() - this.#startedAt;
    const totalMs = typeof timeout === 'number' ? timeout : number(property(timeout, 'totalMs'));
    const stepMs = number(property(timeout, 'stepMs'));
    const isTotal = totalMs !== undefined && (stepMs === undefined || elapsed >= totalMs);
    const limitMs = isTotal ? totalMs : (stepMs ?? number(property(timeout, 'chunkMs')) ?? elapsed);
    const ofPart = stepMs === undefined ? 'model' : 'iteration';
    const scope = isTotal ? 'run' : ofPart;
    const termination = { kind: 'time_budget', limitMs, elapsedMs: Math.max(limitMs, elapsed), scope } as Ending;
    return { slot: 'budget', termination };
  }
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function indeterminate(): Cause {
  return {
    slot: 'step_error',
    termination: { kind: 'indeterminate', candidates: ['natural_end', 'custom'] } as Ending,
  };
}

/** An answer that does not fit the schema of the call; the AI SDK asks once and never again. */
function unfitOutput(error: unknown): Cause | undefined {
  if (nameOfError(error) !== 'AI_NoObjectGeneratedError') return undefined;
  const { message, cause } = toErrorData(error, { data: false, stack: false });
  const violations = [{ path: '', message: cause?.message ?? message }];
  const received = toJournalJson(property(error, 'text'));
  return { slot: 'step_error', termination: { kind: 'schema_validation', violations, received } as Ending };
}

/** The questions with which a call ends: approvals, and calls that are for the client. */
function requestsOf(step: AiStep): Extract<ForeignOutcome<unknown>, { type: 'waiting' }>['requests'] {
  return [
    ...approvalsIn(step).map(({ id, call }) => ({
      id,
      type: 'approval' as const,
      tool: call.toolName,
      input: toJournalJson(call.input),
    })),
    ...clientRequestsIn(step),
  ];
}
