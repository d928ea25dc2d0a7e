import { answerStatus, isBlank } from '../../models/answer-status.js';
import type { ModelMessage } from '../../models/message.js';
import type { ModelRequest } from '../../models/model-request.js';
import type { ModelResponse } from '../../models/model-response.js';
import { frozenCopy } from '../../run/frozen.js';
import { itemsOf } from '../../run/log.js';
import type { StepAttempt } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import type { Violation } from '../../termination/kinds/validation.js';
import { modelTime, timeLeft } from '../machine/in-flight.js';
import { outputCap } from '../machine/output-cap.js';
import type { AgentRules } from '../machine/rules.js';
import type { AgentState, CheckedOutput, ModelOutcome } from '../machine/state.js';
import type { IterationView } from '../options/hooks.js';
import type { Prepared } from '../options/prepare.js';
import { parseOutput } from '../tools/schema.js';
import { askHook } from './ask-hook.js';
import { chargeCall, nameOf } from './charge-call.js';
import { type AttemptListener, ModelAttempts, type ModelQuestion, type ModelReply } from './model-attempts.js';
import { deadlineOf } from './model-limit.js';
import { hookView, type RunFacts } from './run-facts.js';
import { snapshotOf, withMessages } from './snapshot.js';

/** A call of the model that is to be made. */
export interface ModelCall {
  readonly prepared: Prepared;
  readonly rules: AgentRules;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
  readonly facts: RunFacts;
  readonly listener: AttemptListener | undefined;
}

/** Calls the model for an iteration: the hook before it, the request, its attempts, their charge, the hook after it and the schema. */
export async function performModel(call: ModelCall): Promise<ModelOutcome> {
  const { prepared, state } = call;
  const { hooks } = prepared.options;

  const before = hooks?.beforeModel === undefined ? undefined : await askHook(hooks, 'beforeModel', placeOf(call));
  const injected = before?.injected === undefined ? undefined : [before.injected];
  if (before?.directive !== undefined) return { attempts: 0, injected: injected ?? [], directive: before.directive };

  const known = itemsOf(state.messages);
  const messages: readonly ModelMessage[] =
    injected === undefined ? known : [...known, { role: 'user', content: injected[0] as string }];
  const base = prepared.request();
  const request = requestFor(call, 'then' in base ? await base : base, messages);

  const asking = new ModelAttempts(questionOf(call, request, messages));
  while (asking.reply === undefined) {
    let waiting: Promise<void> | undefined;
    try {
      waiting = asking.receive(await asking.start());
    } catch (error) {
      waiting = asking.fail(error);
    }
    if (waiting !== undefined) await waiting;
  }
  return outcomeOf(call, asking, injected);
}

function questionOf(
  { prepared, rules, state, attempt, listener }: ModelCall,
  request: ModelRequest,
  messages: readonly ModelMessage[],
): ModelQuestion {
  const { secrets } = prepared.options;
  return {
    request: secrets === undefined ? request : attempt.unseal(request),
    messages,
    step: attempt,
    models: prepared.models,
    retry: prepared.retry,
    prices: prepared.prices,
    time: modelTime(state, rules),
    deadline: deadlineOf(timeLeft(state, rules), attempt),
    // A secret may come in pieces that nobody can recognise.
    listener: secrets === undefined ? listener : undefined,
  };
}

/** The outcome of the attempts: their charges, the hook after the call and the schema. */
function outcomeOf(
  call: ModelCall,
  { question, reply, cut }: ModelAttempts,
  injected: readonly string[] | undefined,
): ModelOutcome | Promise<ModelOutcome> {
  const { response, attempts, failure, model: asked } = reply as ModelReply;
  const { hooks, secrets } = call.prepared.options;
  if (secrets !== undefined) streamSealed(call, reply as ModelReply);
  const model = nameOf(asked);
  const { provider } = asked;
  const charge = response && chargeCall(question, asked, response);
  const isJudged = hooks?.afterModel !== undefined || call.prepared.output !== undefined;
  // Most calls end here. Spelled out, because a long run keeps very many outcomes, and spreads are kept in two pieces.
  if (response !== undefined && charge !== undefined && !isJudged && cut === undefined && injected === undefined)
    return { response, attempts, charge, model, provider };
  const outcome = definedOf({ response, attempts, failure, charge, model, provider, cut, injected });
  return response === undefined || !isJudged ? outcome : judgedOutcome(call, outcome, response);
}

/** The outcome with what the hook and the schema make of its answer, which may be anything. */
async function judgedOutcome(call: ModelCall, outcome: ModelOutcome, response: ModelResponse): Promise<ModelOutcome> {
  return normalise({ ...outcome, ...(await judgeAnswer(call, response)) }) as unknown as ModelOutcome;
}

/** The outcome without the members that it does not have. */
function definedOf(parts: { readonly [K in keyof ModelOutcome]: ModelOutcome[K] | undefined }): ModelOutcome {
  return Object.fromEntries(
    Object.entries(parts).filter(([, value]) => value !== undefined),
  ) as unknown as ModelOutcome;
}

/** Streams an answer as a whole, without the secrets in it. */
function streamSealed({ prepared, listener }: ModelCall, { response, attempts }: ModelReply): void {
  const text = prepared.options.secrets?.seal(response?.text ?? '') ?? '';
  if (text !== '') listener?.onDelta({ type: 'text', text }, attempts);
}

function placeOf({ state, facts, attempt }: ModelCall, more?: object): IterationView {
  const { counts, messages } = state;
  return withMessages(hookView({ iteration: counts.iterations + 1, ...more }, facts, attempt), () =>
    snapshotOf(messages),
  );
}

type RequestBase = Omit<ModelRequest, 'messages'>;

/** The request of a call. Spelled out, because it is made for every call; members that are not set are undefined in it. */
function requestFor(call: ModelCall, base: RequestBase, messages: readonly ModelMessage[]): ModelRequest {
  const { state, prepared, rules } = call;
  // The last iteration is for the answer, unless a tool is how it is handed in.
  const isLast = state.wrapUp !== null && base.tools !== undefined;
  const isClosing = isLast && ![...prepared.tools.values()].some(({ tool }) => tool.submits === true);
  const request: Record<keyof ModelRequest, unknown> = {
    messages,
    tools: base.tools,
    toolChoice: isClosing ? 'none' : base.toolChoice,
    maxOutputTokens: outputCap(state, rules) ?? base.maxOutputTokens,
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

type AnswerJudgement = Pick<ModelOutcome, 'response' | 'output' | 'directive' | 'said'>;

/** The say of the hook after the call and of the output's schema about an answer. */
async function judgeAnswer(call: ModelCall, given: ModelResponse): Promise<AnswerJudgement> {
  const { prepared } = call;
  const { hooks } = prepared.options;
  let response = given;
  let directive: AnswerJudgement['directive'];
  let said: string | undefined;
  if (hooks?.afterModel !== undefined) {
    const { text, toolCalls } = response;
    const verdict = await askHook(hooks, 'afterModel', placeOf(call, { text, toolCalls: frozenCopy(toolCalls) }));
    ({ directive, injected: said } = verdict);
    if (verdict.transformed !== undefined) response = withText(response, verdict.transformed.value as string);
  }
  const status = answerStatus(response);
  const isFinal = status === 'final' || (status === 'calls_missing' && !isBlank(response));
  const output = isFinal && prepared.output !== undefined ? await checkOutput(prepared, response.text) : undefined;
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
