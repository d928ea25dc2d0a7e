import type { RunRequest } from '../../engines/port/request.js';
import type { Cause } from '../../stop/slots.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { JsonValue } from '../../termination/json.js';
import { answerMessages } from '../ai-sdk/continue-call.js';
import { clientRequestsIn, readStep } from '../ai-sdk/read-step.js';
import { firedPredicates, predicatesOf, stepLimit } from '../ai-sdk/stop-predicates.js';
import type { AiPredicate, AiStep } from '../ai-sdk/structure.js';
import { causeOfAnswer } from '../core/answer-cause.js';
import type { ForeignCause, ForeignContinuation } from '../core/foreign-event.js';
import type { ForeignOutcome, ForeignStart, Framework } from '../core/framework.js';
import { toJournalJson } from '../core/journal-json.js';
import { causeOfThrown, nameOfError, property } from '../core/thrown-cause.js';
import type { MastraAgentLike, MastraCallOptions, MastraResult, MastraSuspension } from './structure.js';

/** A call of an agent of Mastra. */
export interface MastraCall {
  readonly agent: MastraAgentLike;
  readonly name: string;
  readonly model: string;
  readonly provider: string;
  readonly messages: unknown;
  readonly options: MastraCallOptions;
  readonly streams: boolean;
}

/** The steps after which Mastra stops unless it is told otherwise. */
const usualSteps = 5;

/** Mastra as a framework. */
export function mastraFramework<TResult>(call: MastraCall): Framework<TResult> {
  return { name: 'mastra', call: (start) => new MastraRun<TResult>(call, start).run() };
}

class MastraRun<TResult> {
  readonly #call: MastraCall;
  readonly #start: ForeignStart<TResult>;
  #reported = 0;
  #messages = 0;
  #hasEnded = false;

  constructor(call: MastraCall, start: ForeignStart<TResult>) {
    this.#call = call;
    this.#start = start;
  }

  async run(): Promise<ForeignOutcome<TResult>> {
    try {
      if (this.#call.streams) return await this.#stream();
      const result = (await this.#invoke()) as TResult;
      return await this.#finish(result as MastraResult, result);
    } catch (error) {
      return this.#thrown(error);
    }
  }

  #invoke(): PromiseLike<unknown> {
    const { agent, messages } = this.#call;
    const { continuation } = this.#start;
    const options = this.#options();
    if (continuation === undefined) return agent.generate(messages, options);
    const place = property(continuation.place, 'runId');
    const [request] = continuation.requests;
    // A run that waits is kept by Mastra itself; one that stopped continues with its conversation.
    if (request !== undefined && typeof place === 'string' && agent.resumeGenerate !== undefined)
      return agent.resumeGenerate(answerOf(continuation), { ...options, runId: place, toolCallId: request.id });
    const answered = [...continuation.messages, ...answerMessages(continuation)];
    return agent.generate([...askedMessages(messages), ...answered], options);
  }

  /** The stream belongs to the caller; how it ends is heard through the callbacks that Mastra has for that. */
  #stream(): Promise<ForeignOutcome<TResult>> {
    return new Promise((resolve, reject) => {
      const given = this.#call.options as Readonly<Record<string, ((event: never) => unknown) | undefined>>;
      const settle = async (name: string, event: unknown, outcome: Promise<ForeignOutcome<TResult>>): Promise<void> => {
        outcome.then(resolve, reject);
        await given[name]?.(event as never);
      };
      const options = {
        ...this.#options(),
        onFinish: (event: MastraResult) => settle('onFinish', event, this.#finish(event, undefined)),
        onAbort: (event: unknown) => settle('onAbort', event, Promise.resolve(this.#thrown(this.#start.signal.reason))),
        onError: (event: { readonly error: unknown }) =>
          settle('onError', event, Promise.resolve(this.#thrown(event.error))),
      };
      const { agent, messages } = this.#call;
      Promise.resolve(agent.stream?.(messages, options)).then(
        (result) => this.#start.handOver(result as TResult),
        reject,
      );
    });
  }

  #options(): object {
    const { options } = this.#call;
    const { maxSteps = usualSteps, stopWhen } = options;
    const predicates = stopWhen === undefined ? [] : predicatesOf(stopWhen, maxSteps);
    const watched: AiPredicate = async (given) => {
      const fired = await firedPredicates(predicates, given);
      const causes = given.steps.length >= maxSteps ? [...fired, stepLimit(maxSteps, given.steps.length)] : fired;
      return (await this.#report(given.steps, causes)) || causes.length > 0;
    };
    return { ...options, maxSteps, stopWhen: watched, abortSignal: this.#start.signal };
  }

  async #report(steps: readonly AiStep[], causes: readonly ForeignCause[]): Promise<boolean> {
    let stop = false;
    for (let index = this.#reported; index < steps.length; index += 1) {
      const step = steps[index] as AiStep;
      const { length } = step.response.messages;
      // The messages of a step are those of the whole run in some versions, and its own in others.
      const known = length > this.#messages ? this.#messages : 0;
      this.#reported += 1;
      this.#messages = length > this.#messages ? length : this.#messages + length;
      const read = readStep(step, this.#call.model, known);
      const isLast = index === steps.length - 1;
      stop = await this.#start.step(read, isLast ? causes : []);
      if (isLast && causes.length > 0) this.#hasEnded = true;
    }
    return stop;
  }

  async #finish(ended: MastraResult, result: TResult | undefined): Promise<ForeignOutcome<TResult>> {
    const { steps = [], finishReason, tripwire, suspendPayload, error } = ended;
    if (error !== undefined && error !== null) return this.#thrown(error);
    if (finishReason === 'suspended' && suspendPayload !== undefined) {
      await this.#report(steps, []);
      const place = { runId: ended.runId ?? null };
      return { type: 'waiting', requests: [requestOf(suspendPayload)], result, place };
    }
    if (this.#hasEnded || this.#start.isStopped()) return { type: 'settled', causes: [], result };
    const last = finishReason === 'tool-calls' ? steps.at(-1) : undefined;
    const forClient = last === undefined ? [] : clientRequestsIn(last);
    if (forClient.length > 0) {
      await this.#report(steps, []);
      return { type: 'waiting', requests: forClient, result };
    }
    const cause = this.#causeOf(ended, steps, tripwire);
    await this.#report(steps, [cause]);
    const output = ended.object === undefined ? ended.text : toJournalJson(ended.object);
    return { type: 'settled', causes: [cause], result, ...(output !== undefined && { output: output as JsonValue }) };
  }

  #causeOf({ finishReason, text = '' }: MastraResult, steps: readonly AiStep[], tripwire: unknown): ForeignCause {
    const { options, name: agent } = this.#call;
    if (tripwire !== undefined && tripwire !== null) return halted(tripwire);
    if (finishReason === 'aborted') {
      const termination = { kind: 'cancelled', by: 'caller' } as Ending;
      return { slot: 'cancelled', point: 'after_response', termination };
    }
    const { maxSteps = usualSteps } = options;
    if (finishReason === 'tool-calls' && steps.length >= maxSteps) return stepLimit(maxSteps, steps.length);
    const last = steps.at(-1);
    const hasCalls = (last?.toolCalls ?? []).length > 0;
    return causeOfAnswer({ agent, text, finish: finishReason, rawFinish: last?.rawFinishReason, hasCalls });
  }

  #thrown(error: unknown): ForeignOutcome<TResult> {
    const { name: agent, provider } = this.#call;
    const cause = unfitOutput(error) ?? causeOfThrown(error, { agent, provider, signal: this.#start.signal });
    return { type: 'settled', causes: [cause], thrown: { error } };
  }
}

/** A processor of Mastra stopped the run. */
function halted(tripwire: unknown): ForeignCause {
  const name = property(tripwire, 'processorId');
  const reason = property(tripwire, 'reason');
  const by = { type: 'hook', name: typeof name === 'string' ? name : 'processor' };
  const termination = {
    kind: 'halted',
    by,
    reason: typeof reason === 'string' ? reason : 'A processor stopped the run.',
  };
  return { slot: 'halted', point: 'after_response', termination: termination as unknown as Ending };
}

function unfitOutput(error: unknown): Cause | undefined {
  const id = property(error, 'id');
  const isUnfit =
    id === 'STRUCTURED_OUTPUT_SCHEMA_VALIDATION_FAILED' || nameOfError(error) === 'AI_NoObjectGeneratedError';
  if (!isUnfit) return undefined;
  const { message } = toErrorData(error, { data: false, stack: false });
  const termination = { kind: 'schema_validation', violations: [{ path: '', message }], received: null };
  return { slot: 'step_error', termination: termination as unknown as Ending };
}

function requestOf({ toolCallId, toolName, args, suspendPayload, resumeSchema }: MastraSuspension): RunRequest {
  const isApproval = typeof resumeSchema === 'string' && resumeSchema.includes('"approved"');
  return {
    id: toolCallId ?? toolName ?? 'suspended',
    type: isApproval ? 'approval' : 'input',
    ...(toolName !== undefined && { tool: toolName }),
    input: toJournalJson(isApproval ? args : (suspendPayload ?? args)),
  };
}

function answerOf({ answers, requests }: ForeignContinuation): unknown {
  const [answer] = answers;
  if (requests[0]?.type !== 'approval') return answer?.value ?? { approved: answer?.decision === 'approve' };
  return { approved: answer?.decision === 'approve' };
}

function askedMessages(messages: unknown): readonly unknown[] {
  if (Array.isArray(messages)) return messages;
  return [{ role: 'user', content: messages }];
}
