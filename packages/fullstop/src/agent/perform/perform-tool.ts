import { readToolOutput } from '../../models/calls/read-tool-output.js';
import type { ToolOutput } from '../../models/message.js';
import { itemsOf } from '../../run/log.js';
import type { StepAttempt } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import { yesOrNo } from '../../stop/wrong-verdict.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import { toErrorData } from '../../termination/to-error-data.js';
import { mistakeOutcome, resultOf } from '../machine/round.js';
import type { AgentState, Call, CheckedCall, JournalledDirective, ToolOutcome } from '../machine/state.js';
import { directiveOf } from '../options/directive.js';
import type { Prepared, PreparedTool } from '../options/prepare.js';
import { type Checked, type ReadSchema, violationText } from '../tools/schema.js';
import type { ToolCallOptions, ToolLike } from '../tools/tool.js';
import { askHook, type HookVerdict } from './ask-hook.js';
import { copyJson } from './copy-json.js';

/** A call that passed its schema and the hook before it, or what it comes to without being made. */
type Admitted = { readonly input: JsonValue; readonly value: unknown } | { readonly outcome: ToolOutcome };

/** Asks the hook before a call: the input to go on with, or what the call comes to. */
async function askBefore(
  prepared: Prepared,
  call: Call,
): Promise<{ readonly input: JsonValue } | { readonly outcome: ToolOutcome }> {
  const { id: toolCallId, tool, input } = call;
  const verdict = await askHook(prepared.options.hooks, 'beforeTool', { toolCallId, tool, input: copyJson(input) });
  const refused = refusalOf(verdict);
  if (refused !== undefined) return { outcome: refused };
  return { input: verdict.transformed === undefined ? input : (normalise(verdict.transformed.value) ?? null) };
}

function refusalOf({ denied, directive }: HookVerdict): ToolOutcome | undefined {
  if (denied !== undefined) {
    const outcome = mistakeOutcome('denied', `The call was denied (${denied.code}): ${denied.reason}`);
    return { ...outcome, error: { name: 'ToolCallDenied', message: denied.reason, code: denied.code } };
  }
  if (directive === undefined) return undefined;
  return { ...mistakeOutcome('denied', 'The run was stopped before this call.'), directive };
}

/** Checks the arguments of a call and asks the hook before it, unless that was done before a person agreed to just these. */
function admit(prepared: Prepared, found: PreparedTool, call: Call): Admitted | Promise<Admitted> {
  const isAsked = call.stage === 'ready' || call.edited === true;
  if (!isAsked || prepared.options.hooks?.beforeTool === undefined) return checkInput(found, call.input);
  return askBefore(prepared, call).then((asked) => ('input' in asked ? checkInput(found, asked.input) : asked));
}

function checkInput({ schema }: PreparedTool, input: JsonValue): Admitted | Promise<Admitted> {
  const checking = schema.check(copyJson(input));
  if (!('then' in checking)) return admitted(input, checking);
  return Promise.resolve(checking).then((checked) => admitted(input, checked));
}

function admitted(input: JsonValue, checked: Checked): Admitted {
  if (checked.ok) return { input, value: checked.value };
  return { outcome: mistakeOutcome('bad_arguments', `The arguments do not fit: ${violationText(checked.violations)}`) };
}

/** Makes a call. Whatever goes wrong with it becomes a result that the model can read. What it gives is JSON. */
export function performTool(
  prepared: Prepared,
  call: Call,
  state: AgentState,
  attempt: StepAttempt,
): ToolOutcome | Promise<ToolOutcome> {
  const found = prepared.tools.get(call.tool) as PreparedTool;
  const execution: Execution = { prepared, found, call, state, attempt };
  // No async functions where nothing is asynchronous: a call would wait for each of them.
  try {
    const admitting = admit(prepared, found, call);
    if (!('then' in admitting)) return perform(execution, admitting);
    return admitting.then((each) => perform(execution, each)).then(undefined, (error) => failed(attempt, error));
  } catch (error) {
    return failed(attempt, error);
  }
}

/** An effect that was stopped has no outcome worth keeping; one that may happen only once has an unknown one. */
function failed({ signal }: StepAttempt, error: unknown): ToolOutcome {
  if (signal.aborted) throw error;
  const data = toErrorData(error);
  return { ...mistakeOutcome('tool_error', data.message), error: data };
}

function perform(execution: Execution, admitted: Admitted): ToolOutcome | Promise<ToolOutcome> {
  if ('outcome' in admitted) return journallable(admitted.outcome);
  const { prepared, found, call, attempt } = execution;
  const { tool } = found;
  const options = new CallOptions(execution);
  const input = prepared.options.secrets === undefined ? admitted.value : attempt.unseal(admitted.value);
  const given = (tool.execute as unknown as Executable)(input, options);
  const { hooks } = prepared.options;
  const isPlain =
    admitted.input === call.input && hooks?.afterTool === undefined && typeof tool.toModelOutput !== 'function';
  const onFailed = (error: unknown): ToolOutcome => failed(attempt, error);
  if (!isPlain) return finishCall(execution, admitted, given).then(undefined, onFailed);
  if (!isObject(given) || !(isIterable(given) || 'then' in given)) return outcomeOf(call, given, toOutput);
  const result = isIterable(given) ? lastOf(given) : (given as unknown as Promise<unknown>);
  return result.then((value) => plainOutcome(execution, value), onFailed);
}

function plainOutcome({ call, attempt }: Execution, value: unknown): ToolOutcome {
  try {
    return outcomeOf(call, value, toOutput);
  } catch (error) {
    return failed(attempt, error);
  }
}

/** What comes after a call besides its result: the tool's own word for it, and the hook. */
async function finishCall(
  execution: Execution,
  { input, value }: Extract<Admitted, { readonly input: unknown }>,
  given: unknown,
): Promise<ToolOutcome> {
  const { prepared, found, call } = execution;
  const result = isIterable(given) ? await lastOf(given) : await given;
  const shown = directiveOf(result) === undefined ? await modelOutput(found.tool, call, value, result) : undefined;
  const outcome = outcomeOf(call, result, () => shown as ToolOutput);
  const used = input === call.input ? outcome : { ...outcome, input };
  return journallable(prepared.options.hooks?.afterTool === undefined ? used : await afterTool(prepared, call, used));
}

/** Tools and hooks say what they like. */
function journallable(outcome: ToolOutcome): ToolOutcome {
  return normalise(outcome) as unknown as ToolOutcome;
}

interface Execution {
  readonly prepared: Prepared;
  readonly found: PreparedTool;
  readonly call: Call;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
}

/** What a tool is told. The getters are for what most tools do not look at and what has to be made first. */
class CallOptions implements ToolCallOptions {
  readonly toolCallId: string;
  readonly #known: AgentState['messages'];
  readonly #attempt: StepAttempt;
  #messages: ToolCallOptions['messages'] | undefined;

  constructor({ call, state, attempt }: Execution) {
    this.toolCallId = call.id;
    this.#known = state.messages;
    this.#attempt = attempt;
  }

  get messages(): ToolCallOptions['messages'] {
    this.#messages ??= copyJson(itemsOf(this.#known));
    return this.#messages;
  }

  get abortSignal(): ToolCallOptions['abortSignal'] {
    return this.#attempt.signal;
  }

  get idempotencyKey(): string {
    return this.#attempt.idempotencyKey;
  }
}

type Executable = (input: unknown, options: ToolCallOptions) => unknown;

/** What a result comes to: a directive of the tool's, or just a result. */
function outcomeOf(call: Call, result: unknown, show: (result: unknown) => ToolOutput): ToolOutcome {
  const directive = directiveOf(result);
  if (directive === undefined) return { output: show(result) };
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

/** What the model sees of a result: as the tool itself says, or the result as it is. */
export async function modelOutput(tool: ToolLike, call: Call, input: unknown, output: unknown): Promise<ToolOutput> {
  if (typeof tool.toModelOutput !== 'function') return toOutput(output);
  const given = { toolCallId: call.id, input, output };
  const shown = await (tool.toModelOutput as (value: object) => unknown)(given);
  // What JSON cannot hold is refused here as in any other result; reading it would leave it out.
  if (isObject(shown) && 'value' in shown && shown['type'] !== 'content') normalise(shown['value']);
  return readToolOutput(shown);
}

function isIterable(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

/** A tool may give its result step by step; the last one counts. */
async function lastOf(parts: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const part of parts) last = part;
  return last;
}

function toOutput(result: unknown): ToolOutput {
  if (typeof result === 'string') return { type: 'text', value: result };
  const value = normalise(result);
  return { type: 'json', value: value ?? null };
}

export async function afterTool(prepared: Prepared, call: Call, outcome: ToolOutcome): Promise<ToolOutcome> {
  const { id: toolCallId, tool, input } = call;
  const view = {
    toolCallId,
    tool,
    input: copyJson(outcome.input ?? input),
    result: copyJson(normalise(resultOf(outcome.output)) ?? null),
    failed: outcome.error !== undefined,
  };
  const verdict = await askHook(prepared.options.hooks, 'afterTool', view);
  const changed =
    verdict.transformed === undefined ? outcome : { ...outcome, output: toOutput(verdict.transformed.value) };
  return verdict.directive === undefined || outcome.directive !== undefined
    ? changed
    : { ...changed, directive: verdict.directive };
}

/** Decides about a call that a person may have to agree to: what it comes to, or with what input to go on. */
export async function checkCall(prepared: Prepared, call: Call, state: AgentState): Promise<ToolOutcome | CheckedCall> {
  const found = prepared.tools.get(call.tool) as PreparedTool;
  try {
    const admitted = await admit(prepared, found, call);
    if ('outcome' in admitted) return admitted.outcome;
    const { needsApproval } = found.tool;
    const context = () => ({ toolCallId: call.id, messages: copyJson(itemsOf(state.messages)) });
    const needed =
      found.permission === 'ask' ||
      (typeof needsApproval === 'function'
        ? yesOrNo(`${call.tool}.needsApproval`, await needsApproval(admitted.value, context()))
        : needsApproval);
    // What a person agreed to with other arguments is not asked about again.
    const isAsked = needed === true && call.stage === 'ready';
    return checkedCall(found, isAsked, admitted.input);
  } catch (error) {
    const data = toErrorData(error);
    return { ...mistakeOutcome('tool_error', data.message), error: data };
  }
}

async function checkedCall({ client }: PreparedTool, isAsked: boolean, input: JsonValue): Promise<CheckedCall> {
  if (client === undefined) return { next: isAsked ? 'asking' : 'cleared', input };
  const resultSchema = await writtenSchema(client.output);
  const next = isAsked ? 'asking' : 'called';
  return resultSchema === undefined ? { next, input } : { next, input, resultSchema };
}

/** A schema as JSON Schema; one that cannot be written so measures results all the same. */
async function writtenSchema(schema: ReadSchema | undefined): Promise<JsonObject | undefined> {
  try {
    return await schema?.jsonSchema();
  } catch {
    return undefined;
  }
}
