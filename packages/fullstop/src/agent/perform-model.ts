import type { ModelMessage } from '../models/message.js';
import type { ModelRequest } from '../models/model-request.js';
import type { ModelResponse } from '../models/model-response.js';
import { estimateTokens, type TokenCount } from '../run/prices.js';
import type { StepAttempt } from '../run/run-context.js';
import type { Violation } from '../termination/kinds/validation.js';
import { askHook } from './ask-hook.js';
import { itemsOf } from './log.js';
import { type Attempted, askModels } from './model-attempts.js';
import type { Prepared } from './prepared.js';
import { type AgentRules, conditionsOf } from './rules.js';
import { parseOutput } from './schema.js';
import type { AgentState, CheckedOutput, ModelOutcome } from './state.js';

/** Calls the model for an iteration, with the hooks that guard the call. */
export async function performModel(
  prepared: Prepared,
  rules: AgentRules,
  state: AgentState,
  attempt: StepAttempt,
): Promise<ModelOutcome> {
  const { hooks } = prepared.options;
  const known = itemsOf(state.messages);
  const view = { iteration: state.counts.iterations + 1, messages: known };
  const before = hooks?.beforeModel === undefined ? {} : await askHook(hooks, 'beforeModel', view);
  const injected = before.injected === undefined ? [] : [before.injected];
  if (before.directive !== undefined) return { attempts: 0, injected, directive: before.directive };
  const messages = injected.length === 0 ? known : [...known, { role: 'user', content: injected[0] } as ModelMessage];
  const base = prepared.request();
  const request = requestFor('then' in base ? await base : base, state, prepared, messages);
  const unsealed = prepared.options.secrets === undefined ? request : attempt.unseal(request);
  const { models, retry } = prepared;
  const asked = await askModels(unsealed, attempt, { models, retry, timeoutMs: modelTimeout(rules, state) });
  const outcome = book(prepared, asked, { messages, attempt });
  if (injected.length === 0 && hooks?.afterModel === undefined && prepared.output === undefined) return outcome;
  const told = injected.length > 0 && { injected };
  if (asked.response === undefined) return { ...outcome, ...told };
  return { ...outcome, ...told, ...(await judged(prepared, asked.response, view)) };
}

function requestFor(
  base: Omit<ModelRequest, 'messages'>,
  state: AgentState,
  prepared: Prepared,
  messages: readonly ModelMessage[],
): ModelRequest {
  // The last iteration is for the answer, unless a tool is how it is handed in.
  const closing =
    state.wrapUp !== null &&
    base.tools !== undefined &&
    ![...prepared.tools.values()].some(({ tool }) => tool.submits === true);
  return closing ? { ...base, messages, toolChoice: 'none' } : { ...base, messages };
}

function modelTimeout(rules: AgentRules, state: AgentState): number | undefined {
  let timeoutMs: number | undefined;
  for (const { limits } of conditionsOf(rules, state)) {
    if (limits?.modelMs !== undefined) timeoutMs = Math.min(timeoutMs ?? limits.modelMs, limits.modelMs);
  }
  return timeoutMs;
}

interface Booked {
  readonly messages: readonly ModelMessage[];
  readonly attempt: StepAttempt;
}

function book(prepared: Prepared, asked: Attempted, { messages, attempt }: Booked): ModelOutcome {
  const { response, failure, attempts, model } = asked;
  if (response === undefined) return { attempts, ...(failure !== undefined && { failure }) };
  const charge = prepared.prices.charge(`${model.provider}/${model.modelId}`, tokensOf(response, messages));
  attempt.charge(charge);
  return { response, attempts, charge };
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

type Judged = Pick<ModelOutcome, 'response' | 'output' | 'directive'>;

/** What the hook behind the call and the schema of the output say about an answer. */
async function judged(prepared: Prepared, given: ModelResponse, view: object): Promise<Judged> {
  const { hooks } = prepared.options;
  let response = given;
  let directive: Judged['directive'];
  if (hooks?.afterModel !== undefined) {
    const { text, toolCalls } = response;
    const verdict = await askHook(hooks, 'afterModel', { ...view, text, toolCalls });
    directive = verdict.directive;
    if (verdict.transformed !== undefined) response = withText(response, String(verdict.transformed.value));
  }
  const isFinal = prepared.output !== undefined && response.toolCalls.length === 0 && response.finish === 'stop';
  const output = isFinal ? await checkOutput(prepared, response.text) : undefined;
  return { response, ...(directive !== undefined && { directive }), ...(output !== undefined && { output }) };
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
