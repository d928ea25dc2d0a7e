import { readToolOutput } from '../../models/calls/read-tool-output.js';
import type { ToolOutput } from '../../models/message.js';
import type { StepAttempt } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import { Attempt } from '../../run/unit/step-attempt.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { deniedText, mistakeOutcome, resultOf, unknownToolText } from '../machine/round.js';
import type { AgentState, Call, JournalledDirective, ToolOutcome } from '../machine/state.js';
import { directiveOf } from '../options/directive.js';
import type { Prepared, PreparedTool } from '../options/prepare.js';
import { type CheckedValue, violationText } from '../tools/schema.js';
import type { ToolCallOptions, ToolLike } from '../tools/tool.js';
import { askHook } from './ask-hook.js';
import { copyJson } from './copy-json.js';
import { CallOptions, callView, type RunFacts } from './run-facts.js';

/** A call of a tool that is to be made. */
export interface ToolCall {
  readonly prepared: Prepared;
  readonly call: Call;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
  /** To be called right before the tool: until then a halt of the round keeps the call from being made. */
  readonly begin: () => void;
  readonly facts: RunFacts;
}

/** A call that hooks are asked about, inside its step or outside. */
export type AskedCall = Omit<ToolCall, 'attempt' | 'begin'> & { readonly attempt?: StepAttempt };

/** Makes a call, unless its tool has changed so that it cannot be made any more. */
export function performTool(toolCall: ToolCall): Promise<ToolOutcome> {
  const refusal = refuseChanged(toolCall.prepared, toolCall.call);
  return refusal === undefined ? makeCall(toolCall) : Promise.resolve(refusal);
}

/** The hook before a call, its schema, the tool, its words for the model, the hook after it. Whatever goes wrong becomes a result that the model can read. */
async function makeCall(toolCall: ToolCall): Promise<ToolOutcome> {
  const { prepared, call, attempt, begin } = toolCall;
  const { hooks, secrets } = prepared.options;
  const { tool } = prepared.tools.get(call.tool) as PreparedTool;
  try {
    // Nothing is waited for that is there already: it would cost every call a turn of the queue.
    const admitting = admitCall(toolCall);
    const admitted = 'then' in admitting ? await admitting : admitting;
    if ('outcome' in admitted) return toJournal(admitted.outcome);
    // The run may have been halted meanwhile.
    if (Attempt.isAborted(attempt)) throw attempt.signal.reason;

    const input = secrets === undefined ? admitted.value : attempt.unseal(admitted.value);
    begin();
    const returned = (tool.execute as unknown as Executable)(input, new CallOptions(toolCall));
    const result = isIterable(returned) ? await lastOf(returned) : await returned;

    const directive = directiveOf(result);
    if (directive === undefined && hooks?.afterTool === undefined && admitted.input === call.input) {
      // Most calls end here: the result is JSON as soon as it is an output.
      if (typeof tool.toModelOutput !== 'function') return { output: toOutput(result) };
    }
    const outcome =
      directive === undefined
        ? { output: await modelOutput(tool, call, admitted.value, result) }
        : directiveOutcome(call, directive);
    const used = admitted.input === call.input ? outcome : { ...outcome, input: admitted.input };
    return toJournal(hooks?.afterTool === undefined ? used : await askAfter(toolCall, used));
  } catch (error) {
    // An effect that was stopped has no outcome worth keeping; one that may happen only once has an unknown one.
    if (Attempt.isAborted(attempt)) throw error;
    return errorOutcome(error);
  }
}

/** The outcome of a call that was begun or agreed to when its tool was another one: it is gone by now, or is not to be called. */
export function refuseChanged({ tools }: Prepared, { tool: name }: Call): ToolOutcome | undefined {
  const found = tools.get(name);
  if (found === undefined) return mistakeOutcome('unknown_tool', unknownToolText(name, [...tools.keys()]));
  const { permission } = found;
  if (typeof permission !== 'string') return mistakeOutcome('denied', deniedText(name, permission.denied));
  return undefined;
}

/** A call that passed the hook before it and its schema, or its outcome without being made. */
export type AdmittedCall = { readonly input: JsonValue; readonly value: unknown } | { readonly outcome: ToolOutcome };

/** Asks the hook before a call and checks its arguments, unless that was done before a person agreed to just these. */
export function admitCall(asked: AskedCall): AdmittedCall | Promise<AdmittedCall> {
  const { prepared, call } = asked;
  const isAsked = call.stage === 'ready' || call.edited === true;
  if (isAsked && prepared.options.hooks?.beforeTool !== undefined) return askBefore(asked);
  return checkArguments(prepared, call, call.input);
}

async function askBefore(asked: AskedCall): Promise<AdmittedCall> {
  const { prepared, call } = asked;
  const { id: toolCallId, tool, input } = call;
  const view = callView(asked, { toolCallId, tool, input: copyJson(input) });
  const { blocked, directive, transformed } = await askHook(prepared.options.hooks, 'beforeTool', view);
  if (blocked !== undefined) {
    const outcome = mistakeOutcome('denied', `The call was blocked (${blocked.code}): ${blocked.reason}`);
    return { outcome: { ...outcome, error: { name: 'ToolCallBlocked', message: blocked.reason, code: blocked.code } } };
  }
  if (directive !== undefined)
    return { outcome: { ...mistakeOutcome('denied', 'The run was stopped before this call.'), directive } };
  return checkArguments(prepared, call, transformed === undefined ? input : (normalise(transformed.value) ?? null));
}

function checkArguments(prepared: Prepared, { tool }: Call, input: JsonValue): AdmittedCall | Promise<AdmittedCall> {
  const { schema } = prepared.tools.get(tool) as PreparedTool;
  const checking = schema.check(copyJson(input));
  return 'then' in checking ? admitLater(input, checking) : admitChecked(input, checking);
}

async function admitLater(input: JsonValue, checking: PromiseLike<CheckedValue>): Promise<AdmittedCall> {
  return admitChecked(input, await checking);
}

function admitChecked(input: JsonValue, checked: CheckedValue): AdmittedCall {
  if (checked.ok) return { input, value: checked.value };
  return { outcome: mistakeOutcome('bad_arguments', `The arguments do not fit: ${violationText(checked.violations)}`) };
}

/** The outcome of a call whose tool, hook or schema threw. */
export function errorOutcome(error: unknown): ToolOutcome {
  const data = toErrorData(error);
  return { ...mistakeOutcome('tool_error', data.message), error: data };
}

/** Tools and hooks may return anything; only JSON is journalled. */
function toJournal(outcome: ToolOutcome): ToolOutcome {
  return normalise(outcome) as unknown as ToolOutcome;
}

type Executable = (input: unknown, options: ToolCallOptions) => unknown;

/** The outcome of a tool that submits or halts. */
function directiveOutcome(call: Call, directive: NonNullable<ReturnType<typeof directiveOf>>): ToolOutcome {
  if (directive.type === 'submit' && 'value' in directive) {
    const submitted = normalise(directive.value);
    const journalled: JournalledDirective = {
      type: 'submit',
      tool: call.tool,
      ...(submitted !== undefined && { value: submitted }),
    };
    return { output: { type: 'text', value: 'Submitted.' }, directive: journalled };
  }
  const reason = 'reason' in directive && directive.reason !== undefined ? directive.reason : 'no reason given';
  const halted: JournalledDirective = { type: 'halt', by: 'tool', name: call.tool, reason };
  return { output: { type: 'text', value: `The run was halted: ${reason}` }, directive: halted };
}

/** A result as the model sees it: in the tool's own words, or as it is. */
export async function modelOutput(tool: ToolLike, call: Call, input: unknown, output: unknown): Promise<ToolOutput> {
  if (typeof tool.toModelOutput !== 'function') return toOutput(output);
  const shown = await (tool.toModelOutput as (value: object) => unknown)({ toolCallId: call.id, input, output });
  // A value that is not JSON is refused here as in any other result; reading it would leave it out.
  if (isObject(shown) && 'value' in shown && shown['type'] !== 'content') normalise(shown['value']);
  return readToolOutput(shown);
}

function isIterable(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

/** A tool may return its result step by step; the last one counts. */
async function lastOf(parts: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const part of parts) last = part;
  return last;
}

function toOutput(result: unknown): ToolOutput {
  if (typeof result === 'string') return { type: 'text', value: result };
  return { type: 'json', value: normalise(result) ?? null };
}

/** Asks the hook after a call, which may change its result or stop the run. */
export async function askAfter(asked: AskedCall, outcome: ToolOutcome): Promise<ToolOutcome> {
  const { prepared, call } = asked;
  const { id: toolCallId, tool, input } = call;
  const view = callView(asked, {
    toolCallId,
    tool,
    input: copyJson(outcome.input ?? input),
    result: copyJson(normalise(resultOf(outcome.output)) ?? null),
    failed: outcome.error !== undefined,
  });
  const { transformed, directive } = await askHook(prepared.options.hooks, 'afterTool', view);
  const changed = transformed === undefined ? outcome : { ...outcome, output: toOutput(transformed.value) };
  return directive === undefined || outcome.directive !== undefined ? changed : { ...changed, directive };
}
