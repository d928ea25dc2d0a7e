import type { Charge } from '../../engines/port/usage.js';
import { answerStatus, isBlank } from '../../models/answer-status.js';
import type { LanguageModel } from '../../models/language-model.js';
import type { ModelMessage } from '../../models/message.js';
import type { ModelRequest } from '../../models/model-request.js';
import type { ModelResponse } from '../../models/model-response.js';
import { frozenCopy } from '../../run/frozen.js';
import { itemsOf } from '../../run/log.js';
import type { StepAttempt } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import type { Ending } from '../../termination/ending.js';
import type { Violation } from '../../termination/kinds/validation.js';
import { modelTime, timeLeft } from '../machine/in-flight.js';
import { outputCap } from '../machine/output-cap.js';
import type { AgentRules } from '../machine/rules.js';
import type { AgentState, CheckedOutput, JournalledDirective, ModelOutcome } from '../machine/state.js';
import type { ModelCallView } from '../options/hooks.js';
import type { Prepared } from '../options/prepare.js';
import { parseOutput } from '../tools/schema.js';
import { askHook } from './ask-hook.js';
import { chargeCall, nameOf } from './charge-call.js';
import { iterationView } from './iteration-view.js';
import {
  type AttemptListener,
  type CallMemory,
  ModelAttempts,
  type ModelQuestion,
  type ModelReply,
} from './model-attempts.js';
import { deadlineOf } from './model-limit.js';
import { type PreparedCall, prepareCall } from './prepare-call.js';
import { repairCalls } from './repair-calls.js';
import { capWithin, endingOfCut } from './room-for-answer.js';
import type { RunFacts } from './run-facts.js';

/** A call of the model that is to be made. */
export interface ModelCall {
  readonly prepared: Prepared;
  readonly rules: AgentRules;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
  readonly facts: RunFacts;
  readonly memory: CallMemory;
  readonly listener: AttemptListener | undefined;
}

/**
 * Calls the model for an iteration: the hook before it, the request, its attempts, their charge, the hook after it and the schema.
 * Nothing is waited for that is there already: an async function would cost every call as much as all its bookkeeping.
 */
export function performModel(call: ModelCall): Promise<ModelOutcome> {
  const { hooks, prepareStep } = call.prepared.options;
  if (hooks?.beforeModel !== undefined) return performAfterHook(call);
  return prepareStep === undefined ? askModel(call, unprepared) : performPrepared(call, undefined);
}

async function performAfterHook(call: ModelCall): Promise<ModelOutcome> {
  const { directive, injected } = await askHook(call.prepared.options.hooks, 'beforeModel', iterationView(call, {}));
  const said = injected === undefined ? undefined : [injected];
  return directive === undefined ? performPrepared(call, said) : stoppedCall(said, directive);
}

/** Asks `prepareStep` about a call, and then the model. */
function performPrepared(call: ModelCall, injected: readonly string[] | undefined): Promise<ModelOutcome> {
  const { prepared, state, attempt, facts } = call;
  const { prepareStep } = prepared.options;
  const said: ModelMessage | undefined = injected && { role: 'user', content: injected[0] as string };
  const step = prepareStep && prepareCall(prepareStep, { prepared, state, attempt, facts, injected: said });
  if (step instanceof Promise) return step.then((known) => askModel(call, { injected, said, step: known }));
  return askModel(call, { injected, said, step });
}

/** The decisions about a call before it is made. */
interface Beginning<TStep> {
  /** The texts that the hook before it adds to the conversation, and their message. */
  readonly injected: readonly string[] | undefined;
  readonly said: ModelMessage | undefined;
  readonly step: TStep;
}

type AskedCall = Beginning<PreparedCall | undefined>;

/** Nothing was decided before the call: most are like that. */
const unprepared: AskedCall = { injected: undefined, said: undefined, step: undefined };

function askModel(
  call: ModelCall,
  beginning: Beginning<PreparedCall | { readonly directive: JournalledDirective } | undefined>,
): Promise<ModelOutcome> {
  const { injected, step } = beginning;
  if (step !== undefined && 'directive' in step) return Promise.resolve(stoppedCall(injected, step.directive));
  const base = call.prepared.request();
  const asked = beginning as AskedCall;
  return 'then' in base ? askLater(call, base, asked) : askNow(call, base, asked);
}

/** The first call of all waits for the schemas of the tools. */
async function askLater(call: ModelCall, base: Promise<RequestBase>, asked: AskedCall): Promise<ModelOutcome> {
  return askNow(call, await base, asked);
}

function askNow(call: ModelCall, base: RequestBase, asked: AskedCall): Promise<ModelOutcome> {
  const { said, step } = asked;
  const messages = step?.messages ?? conversationOf(call.state, said);
  const question = questionOf(call, requestFor(call, base, messages, step), messages, step);
  return new ModelAttempts<ModelOutcome>(question, (reply, attempts) => outcomeOf(call, asked, reply, attempts)).ask();
}

/** The outcome of a call that was stopped before the model was asked. */
function stoppedCall(injected: readonly string[] = [], directive: JournalledDirective): ModelOutcome {
  return { attempts: 0, injected, directive };
}

function conversationOf({ messages }: AgentState, said: ModelMessage | undefined): readonly ModelMessage[] {
  const known = itemsOf(messages);
  return said === undefined ? known : [...known, said];
}

function questionOf(
  { prepared, rules, state, attempt, memory, listener }: ModelCall,
  request: ModelRequest,
  messages: readonly ModelMessage[],
  step: PreparedCall | undefined,
): ModelQuestion {
  const { secrets, settings: { perModel } = {} } = prepared.options;
  const isOwn = perModel !== undefined || step?.settings !== undefined || step?.model !== undefined;
  return {
    request: secrets === undefined ? request : attempt.unseal(request),
    messages,
    step: attempt,
    memory,
    models: step?.model === undefined ? prepared.models : modelsAfter(step.model, prepared),
    settings: isOwn ? { perModel, step: step?.settings, state, rules } : undefined,
    retry: prepared.retry,
    prices: prepared.prices,
    time: modelTime(state, rules),
    deadline: deadlineOf(timeLeft(state, rules), attempt),
    // A secret may come in pieces that nobody can recognise.
    listener: secrets === undefined ? listener : undefined,
  };
}

/** The model that was chosen for a call, and those that are asked when it cannot answer. */
function modelsAfter(model: LanguageModel, { models }: Prepared): readonly LanguageModel[] {
  return [model, ...models.slice(1).filter((each) => each !== model)];
}

/** The outcome of the attempts: their charges, the hook after the call and the schema. */
function outcomeOf(
  call: ModelCall,
  { injected, step }: AskedCall,
  reply: ModelReply,
  made: ModelAttempts<ModelOutcome>,
): ModelOutcome | Promise<ModelOutcome> {
  const { question, cut, cap: latest } = made;
  const { response, attempts, failure, model: asked } = reply;
  const { secrets } = call.prepared.options;
  if (secrets !== undefined) streamSealed(call, reply);
  const model = nameOf(asked);
  const { provider } = asked;
  const charge = response && chargeCall(question, asked, response);
  const isJudged = hasJudge(call.prepared, response);
  const prepared = step?.journalled;
  const cap = question.settings === undefined ? undefined : latest;
  const cutBy = cutByBudget(call, reply, made, charge);
  // Most calls end here. Spelled out, because a long run keeps very many outcomes, and spreads are kept in two pieces.
  const isCut = cut !== undefined || cutBy !== undefined;
  if (response !== undefined && charge !== undefined && !isJudged && !isCut && injected === undefined) {
    if (prepared === undefined && cap === undefined) return { response, attempts, charge, model, provider };
    if (prepared !== undefined && cap === undefined) return { response, attempts, charge, model, provider, prepared };
  }
  const outcome = definedOf({
    response,
    attempts,
    failure,
    charge,
    model,
    provider,
    cut,
    cutBy,
    injected,
    prepared,
    cap,
  });
  return response === undefined || !isJudged ? outcome : judgedOutcome(call, outcome, response);
}

/** True when anything has a say about the answer. */
function hasJudge({ options, output }: Prepared, response: ModelResponse | undefined): boolean {
  const { hooks, repairToolCall } = options;
  const isRepaired = repairToolCall !== undefined && response !== undefined && response.toolCalls.length > 0;
  return isRepaired || hooks?.afterModel !== undefined || output !== undefined;
}

/** The ending by a budget around the agent that cut the answer. */
function cutByBudget(
  { attempt, prepared, rules }: ModelCall,
  { response, model }: ModelReply,
  { question, cap, cut = [] }: ModelAttempts<ModelOutcome>,
  charge: Charge | undefined,
): Ending | undefined {
  if (response?.finish !== 'length' || charge === undefined) return undefined;
  const price = prepared.prices.priceOf(nameOf(model));
  const own = price && price.outputPerMillion / 1_000_000;
  const usdPerToken = question.settings === undefined ? rules.output.usdPerToken : own;
  return endingOfCut(attempt, { cap, usdPerToken, charges: [...cut, charge] });
}

/** The outcome with what the hook and the schema make of its answer, which may be anything. */
async function judgedOutcome(call: ModelCall, outcome: ModelOutcome, given: ModelResponse): Promise<ModelOutcome> {
  const { prepared, state, attempt } = call;
  const { repairToolCall } = prepared.options;
  const isRepaired = repairToolCall !== undefined && answerStatus(given) === 'calls';
  const offered = isRepaired ? offeredTools(prepared, outcome.prepared?.tools) : [];
  const { response, repaired } = isRepaired
    ? await repairCalls(repairToolCall, given, { prepared, state, attempt, offered })
    : { response: given, repaired: undefined };
  const judged = await judgeAnswer(call, response, outcome);
  return normalise({ ...outcome, ...judged, ...(repaired !== undefined && { repaired }) }) as unknown as ModelOutcome;
}

/** The tools that the model was offered, by name. */
function offeredTools({ tools }: Prepared, active: readonly string[] | undefined): readonly string[] {
  const allowed = [...tools.values()].filter(({ permission }) => typeof permission === 'string');
  return allowed.flatMap(({ name }) => (active === undefined || active.includes(name) ? name : []));
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

type RequestBase = Omit<ModelRequest, 'messages'>;

/** The request of a call. Spelled out, because it is made for every call; members that are not set are undefined in it. */
function requestFor(
  call: ModelCall,
  base: RequestBase,
  messages: readonly ModelMessage[],
  step: PreparedCall | undefined,
): ModelRequest {
  const { state, prepared, rules, attempt } = call;
  const tools = step?.tools === undefined ? base.tools : activeTools(base.tools, step.tools);
  // The last iteration is for the answer, unless a tool is how it is handed in.
  const isLast = state.wrapUp !== null && tools !== undefined;
  const isClosing = isLast && !tools.some(({ name }) => prepared.tools.get(name)?.tool.submits === true);
  const cap = outputCap(state, rules);
  const request: Record<keyof ModelRequest, unknown> = {
    messages,
    tools,
    toolChoice: isClosing ? 'none' : (step?.toolChoice ?? base.toolChoice),
    maxOutputTokens: cap === undefined ? base.maxOutputTokens : capWithin(attempt, cap, rules.output.usdPerToken),
    temperature: base.temperature,
    topP: base.topP,
    topK: base.topK,
    frequencyPenalty: base.frequencyPenalty,
    presencePenalty: base.presencePenalty,
    reasoning: base.reasoning,
    seed: base.seed,
    stopSequences: base.stopSequences,
    responseFormat: base.responseFormat,
    headers: base.headers,
    providerOptions: base.providerOptions,
    agent: base.agent,
  };
  return request as unknown as ModelRequest;
}

const filtered = new WeakMap<readonly string[], RequestBase['tools']>();

/** The tools with these names, in the order of the agent. One list of names belongs to one agent, and is used again and again. */
function activeTools(all: RequestBase['tools'], names: readonly string[]): RequestBase['tools'] {
  if (!filtered.has(names))
    filtered.set(
      names,
      all?.filter(({ name }) => names.includes(name)),
    );
  return filtered.get(names);
}

type AnswerJudgement = Pick<ModelOutcome, 'response' | 'output' | 'directive' | 'said'>;

/** The say of the hook after the call and of the output's schema about an answer. */
async function judgeAnswer(call: ModelCall, given: ModelResponse, outcome: ModelOutcome): Promise<AnswerJudgement> {
  const { prepared } = call;
  const { hooks } = prepared.options;
  let response = given;
  let directive: AnswerJudgement['directive'];
  let said: string | undefined;
  if (hooks?.afterModel !== undefined) {
    const { text, toolCalls } = response;
    const view = iterationView(call, { text, toolCalls: frozenCopy(toolCalls), call: callView(outcome) });
    const verdict = await askHook(hooks, 'afterModel', view);
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

/** The call of the model as the hook after it sees it. */
function callView({ model = '', attempts, charge }: ModelOutcome): ModelCallView {
  const { inputTokens = 0, outputTokens = 0, costUsd = null, estimated = false } = charge ?? {};
  const usage = Object.freeze({ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens });
  return Object.freeze({ model, attempts, usage, costUsd, ...(estimated && { estimated }) });
}

function withText(response: ModelResponse, text: string): ModelResponse {
  const others = response.content.filter(({ type }) => type !== 'text');
  return { ...response, text, content: [{ type: 'text', text }, ...others] };
}

async function checkOutput({ output }: Prepared, text: string): Promise<CheckedOutput> {
  const parsed = parseOutput(text);
  if (parsed === undefined) return { ok: false, violations: [notJson] };
  const checked = output === undefined ? { ok: true as const, value: parsed.value } : await output.check(parsed.value);
  return checked.ok ? { ok: true, value: checked.value as never } : checked;
}

const notJson: Violation = { path: '', message: 'the answer is not JSON' };
