import type { Charge } from '../../engines/port/usage.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ModelMessage } from '../../models/message.js';
import type { ModelRequest } from '../../models/model-request.js';
import type { ModelResponse } from '../../models/model-response.js';
import { estimateTokens, type TokenCount } from '../../run/accounts/prices.js';
import { frozenCopy } from '../../run/frozen.js';
import { itemsOf } from '../../run/log.js';
import type { StepAttempt } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import type { Violation } from '../../termination/kinds/validation.js';
import { limitsInFlight, timeLeft } from '../machine/in-flight.js';
import { outputCap } from '../machine/output-cap.js';
import { type AgentRules, conditionsOf } from '../machine/rules.js';
import { snapshotOf, withMessages } from '../machine/snapshot.js';
import type { AgentState, CheckedOutput, ModelOutcome } from '../machine/state.js';
import type { IterationView } from '../options/hooks.js';
import { parseOutput } from '../tools/schema.js';
import { askHook } from './ask-hook.js';
import { type Attempted, type AttemptListener, askModels, type Booking, deadlineOf } from './model-attempts.js';
import type { Prepared } from './prepared.js';

/** A call of the model that is to be made. */
export interface ModelCall {
  readonly prepared: Prepared;
  readonly rules: AgentRules;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
  readonly listener: AttemptListener | undefined;
}

/** Calls the model for an iteration, with the hooks that guard the call. What it gives is JSON. */
export function performModel(call: ModelCall): Promise<ModelOutcome> {
  const { prepared, state } = call;
  const { hooks } = prepared.options;
  const base = prepared.request();
  const isGuarded =
    hooks?.beforeModel !== undefined || hooks?.afterModel !== undefined || prepared.output !== undefined;
  if (isGuarded || 'then' in base) return guarded(call);
  // Most calls are like that: one promise behind the answer, and no more.
  const messages = itemsOf(state.messages);
  return ask(call, { base, messages, booking: new CallBooking(call, messages) });
}

async function guarded(call: ModelCall): Promise<ModelOutcome> {
  const { prepared, state } = call;
  const { hooks } = prepared.options;
  const known = itemsOf(state.messages);
  const before = hooks?.beforeModel === undefined ? {} : await askHook(hooks, 'beforeModel', placeOf(state));
  const injected = before.injected === undefined ? [] : [before.injected];
  if (before.directive !== undefined) return { attempts: 0, injected, directive: before.directive };
  const messages = injected.length === 0 ? known : [...known, { role: 'user', content: injected[0] } as ModelMessage];
  const own = new CallBooking(call, messages);
  const booking: Booking<Attempted> = {
    onCut: (model, response) => own.onCut(model, response),
    finish: (each) => each,
  };
  const asked = await ask(call, { base: await prepared.request(), messages, booking });
  const outcome = own.finish(asked);
  const told = injected.length > 0 && { injected };
  if (asked.response === undefined) return { ...outcome, ...told };
  const whole = { ...outcome, ...told, ...(await judged(prepared, asked.response, state)) };
  // A schema makes of an answer what it likes.
  return normalise(whole) as unknown as ModelOutcome;
}

function placeOf({ counts, messages }: AgentState, more?: object): IterationView {
  return withMessages({ iteration: counts.iterations + 1, ...more }, () => snapshotOf(messages));
}

interface Asked<TResult> {
  readonly base: RequestBase;
  readonly messages: readonly ModelMessage[];
  readonly booking: Booking<TResult>;
}

function ask<TResult>(call: ModelCall, { base, messages, booking }: Asked<TResult>): Promise<TResult> {
  const { prepared, rules, state, attempt, listener } = call;
  const { secrets } = prepared.options;
  const request = requestFor(call, base, messages);
  const { models, retry } = prepared;
  const { modelMs: timeoutMs } = limitsInFlight(conditionsOf(rules, state));
  const deadline = deadlineOf(timeLeft(state, rules), attempt);
  // Spelled out, like all that is made for every call: a spread takes twenty times as long.
  if (secrets === undefined)
    return askModels({ request, step: attempt, models, retry, timeoutMs, deadline, listener, booking });
  // A secret may come in pieces that nobody can recognise, so the answer is told as a whole, and sealed.
  const telling: Booking<TResult> = {
    onCut: (model, response) => booking.onCut(model, response),
    finish(asked) {
      const text = secrets.seal(asked.response?.text ?? '');
      if (text !== '') listener?.onDelta({ type: 'text', text }, asked.attempts);
      return booking.finish(asked);
    },
  };
  const unsealed = attempt.unseal(request);
  const quiet = { models, retry, timeoutMs, deadline, listener: undefined };
  return askModels({ ...quiet, request: unsealed, step: attempt, booking: telling });
}

type RequestBase = Omit<ModelRequest, 'messages'>;

function requestFor(call: ModelCall, base: RequestBase, messages: readonly ModelMessage[]): ModelRequest {
  const { state, prepared, rules } = call;
  const cap = outputCap(state, rules);
  // The last iteration is for the answer, unless a tool is how it is handed in.
  const isLast = state.wrapUp !== null && base.tools !== undefined;
  const isClosing = isLast && ![...prepared.tools.values()].some(({ tool }) => tool.submits === true);
  if (cap === undefined && !isClosing) return requestWith(base, messages);
  return {
    ...requestWith(base, messages),
    ...(cap !== undefined && { maxOutputTokens: cap }),
    ...(isClosing && { toolChoice: 'none' }),
  };
}

/** Spelled out, because it is made for every call; what is not set is undefined in it. */
function requestWith(base: RequestBase, messages: readonly ModelMessage[]): ModelRequest {
  const request: Record<keyof ModelRequest, unknown> = {
    messages,
    tools: base.tools,
    toolChoice: base.toolChoice,
    maxOutputTokens: base.maxOutputTokens,
    temperature: base.temperature,
    topP: base.topP,
    topK: base.topK,
    seed: base.seed,
    stopSequences: base.stopSequences,
    responseFormat: base.responseFormat,
    headers: base.headers,
    providerOptions: base.providerOptions,
    agent: base.agent,
  };
  return request as unknown as ModelRequest;
}

/** Charges the step with what its call has used. */
class CallBooking implements Booking<ModelOutcome> {
  readonly #call: ModelCall;
  readonly #messages: readonly ModelMessage[];
  /** What attempts that were broken off have used. */
  #cut: readonly Charge[] | undefined;

  constructor(call: ModelCall, messages: readonly ModelMessage[]) {
    this.#call = call;
    this.#messages = messages;
  }

  finish(asked: Attempted): ModelOutcome {
    const { response, failure, attempts } = asked;
    const model = nameOf(asked.model);
    const { provider } = asked.model;
    const cut = this.#cut;
    if (response === undefined)
      return cut === undefined ? { attempts, failure, model, provider } : { attempts, failure, model, provider, cut };
    const charge = this.#charge(asked.model, tokensOf(response, this.#messages));
    return cut === undefined
      ? { response, attempts, charge, model, provider }
      : { response, attempts, charge, model, provider, cut };
  }

  /** The provider has read the conversation before an attempt was broken off, and charges for it. */
  onCut(model: LanguageModel, response?: ModelResponse): void {
    const messages = this.#messages;
    const tokens = response === undefined ? unanswered(messages) : tokensOf(response, messages);
    this.#cut = [...(this.#cut ?? []), this.#charge(model, tokens)];
  }

  #charge(model: LanguageModel, tokens: TokenCount): Charge {
    const { prepared, attempt } = this.#call;
    const charge = prepared.prices.charge(nameOf(model), tokens);
    attempt.charge(charge);
    return charge;
  }
}

/** What a call that got no answer is taken to have used. */
export function unanswered(messages: readonly ModelMessage[]): TokenCount {
  return { inputTokens: estimateConversation(messages), outputTokens: 0, estimated: true };
}

const names = new WeakMap<LanguageModel, string>();

/** The name under which a model has a price. */
export function nameOf(model: LanguageModel): string {
  let name = names.get(model);
  if (name === undefined) {
    name = `${model.provider}/${model.modelId}`;
    names.set(model, name);
  }
  return name;
}

/** What the provider reported; where it reported nothing, a guess that is flagged as one. */
export function tokensOf({ usage, content }: ModelResponse, messages: readonly ModelMessage[]): TokenCount {
  if (usage?.inputTokens !== undefined && usage.outputTokens !== undefined) return usage;
  return {
    inputTokens: usage?.inputTokens ?? estimateConversation(messages),
    outputTokens: usage?.outputTokens ?? estimateTokens(JSON.stringify(content)),
    estimated: true,
  };
}

const estimates = new WeakMap<readonly ModelMessage[], { count: number; tokens: number }>();

/** Counts only what is new since the last call, so that long conversations do not take ever longer. */
function estimateConversation(messages: readonly ModelMessage[]): number {
  const known = estimates.get(messages) ?? { count: 0, tokens: 0 };
  for (; known.count < messages.length; known.count += 1) {
    known.tokens += estimateTokens(JSON.stringify(messages[known.count]));
  }
  estimates.set(messages, known);
  return known.tokens;
}

type Judged = Pick<ModelOutcome, 'response' | 'output' | 'directive' | 'said'>;

/** What the hook behind the call and the schema of the output say about an answer. */
async function judged(prepared: Prepared, given: ModelResponse, state: AgentState): Promise<Judged> {
  const { hooks } = prepared.options;
  let response = given;
  let directive: Judged['directive'];
  let said: string | undefined;
  if (hooks?.afterModel !== undefined) {
    const { text, toolCalls } = response;
    const verdict = await askHook(hooks, 'afterModel', placeOf(state, { text, toolCalls: frozenCopy(toolCalls) }));
    ({ directive, injected: said } = verdict);
    if (verdict.transformed !== undefined) response = withText(response, verdict.transformed.value as string);
  }
  const isFinal = prepared.output !== undefined && response.toolCalls.length === 0 && response.finish === 'stop';
  const output = isFinal ? await checkOutput(prepared, response.text) : undefined;
  return {
    response,
    ...(directive !== undefined && { directive }),
    ...(said !== undefined && { said }),
    ...(output !== undefined && { output }),
  };
}

function withText(response: ModelResponse, text: string): ModelResponse {
  const others = response.content.filter(({ type }) => type !== 'text');
  return { ...response, text, content: [{ type: 'text', text }, ...others] };
}

async function checkOutput({ output }: Prepared, text: string): Promise<CheckedOutput> {
  const parsed = parseOutput(text);
  if (parsed === undefined) return { ok: false, violations: [notJson] };
  const checked = await output?.check(parsed.value);
  if (checked === undefined || checked.ok) return { ok: true, value: (checked?.value ?? parsed.value) as never };
  return { ok: false, violations: checked.violations };
}

const notJson: Violation = { path: '', message: 'the answer is not JSON' };
