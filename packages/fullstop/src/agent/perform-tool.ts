import type { ToolOutput } from '../models/message.js';
import { normalise } from '../run/normalise.js';
import type { StepAttempt } from '../run/run-context.js';
import type { JsonValue } from '../termination/json.js';
import { toErrorData } from '../termination/to-error-data.js';
import { askHook, type HookVerdict } from './ask-hook.js';
import { directiveOf } from './directive.js';
import { itemsOf } from './log.js';
import type { Prepared, PreparedTool } from './prepared.js';
import { mistaken, resultOf } from './round.js';
import type { AgentState, Call, CheckedCall, JournalledDirective, ToolOutcome } from './state.js';
import type { ToolCallOptions } from './tool.js';

/** A call that passed its schema and the hook before it, or what it comes to without being made. */
type Admitted = { readonly input: JsonValue; readonly value: unknown } | { readonly outcome: ToolOutcome };

/** Asks the hook before a call: the input to go on with, or what the call comes to. */
async function askBefore(
  prepared: Prepared,
  call: Call,
): Promise<{ readonly input: JsonValue } | { readonly outcome: ToolOutcome }> {
  const { id: toolCallId, tool, input } = call;
  const verdict = await askHook(prepared.options.hooks, 'beforeTool', { toolCallId, tool, input });
  const refused = refusalOf(verdict);
  if (refused !== undefined) return { outcome: refused };
  return { input: verdict.transformed === undefined ? input : (normalise(verdict.transformed.value) ?? null) };
}

function refusalOf({ denied, directive }: HookVerdict): ToolOutcome | undefined {
  if (denied !== undefined) {
    const outcome = mistaken('denied', `The call was denied (${denied.code}): ${denied.reason}`);
    return { ...outcome, error: { name: 'ToolCallDenied', message: denied.reason, code: denied.code } };
  }
  if (directive === undefined) return undefined;
  return { ...mistaken('denied', 'The run was stopped before this call.'), directive };
}

/** Checks the arguments of a call and asks the hook before it, unless that was done before a person was asked. */
async function admit(prepared: Prepared, found: PreparedTool, call: Call): Promise<Admitted> {
  const isFresh = call.stage === 'ready' && prepared.options.hooks?.beforeTool !== undefined;
  const asked = isFresh ? await askBefore(prepared, call) : call;
  if (!('input' in asked)) return asked;
  const checking = found.schema.check(asked.input);
  const checked = 'then' in checking ? await checking : checking;
  if (checked.ok) return { input: asked.input, value: checked.value };
  const issues = checked.violations.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return { outcome: mistaken('bad_arguments', `The arguments do not fit: ${issues.join('; ')}`) };
}

/** Makes a call. Whatever goes wrong with it becomes a result that the model can read. */
export async function performTool(
  prepared: Prepared,
  call: Call,
  state: AgentState,
  attempt: StepAttempt,
): Promise<ToolOutcome> {
  const found = prepared.tools.get(call.tool) as PreparedTool;
  try {
    const admitted = await admit(prepared, found, call);
    if ('outcome' in admitted) return admitted.outcome;
    const outcome = await execute(found, admitted.value, { call, state, attempt });
    const used = admitted.input === call.input ? outcome : { ...outcome, input: admitted.input };
    return prepared.options.hooks?.afterTool === undefined ? used : await afterTool(prepared, call, used);
  } catch (error) {
    // An effect that was stopped has no outcome worth keeping; one that may happen only once has an unknown one.
    if (attempt.signal.aborted) throw error;
    const data = toErrorData(error);
    return { ...mistaken('tool_error', data.message), error: data };
  }
}

interface Execution {
  readonly call: Call;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
}

/** What a tool is told. The getters are for what most tools do not look at and what has to be made first. */
class CallOptions implements ToolCallOptions {
  readonly toolCallId: string;
  readonly messages: ToolCallOptions['messages'];
  readonly #attempt: StepAttempt;

  constructor(call: Call, state: AgentState, attempt: StepAttempt) {
    this.toolCallId = call.id;
    this.messages = itemsOf(state.messages);
    this.#attempt = attempt;
  }

  get abortSignal(): ToolCallOptions['abortSignal'] {
    return this.#attempt.signal;
  }

  get idempotencyKey(): string {
    return this.#attempt.idempotencyKey;
  }
}

type Executable = (input: unknown, options: ToolCallOptions) => unknown;

async function execute({ tool }: PreparedTool, input: unknown, execution: Execution): Promise<ToolOutcome> {
  const { call, state, attempt } = execution;
  if (tool.execute === undefined) return mistaken('tool_error', `The tool ${call.tool} has no execute function.`);
  const options = new CallOptions(call, state, attempt);
  const given = (tool.execute as unknown as Executable)(attempt.unseal(input), options);
  const result = isIterable(given) ? await lastOf(given) : await given;
  const directive = directiveOf(result);
  if (directive === undefined) return { output: toOutput(result) };
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

async function afterTool(prepared: Prepared, call: Call, outcome: ToolOutcome): Promise<ToolOutcome> {
  const { id: toolCallId, tool, input } = call;
  const view = {
    toolCallId,
    tool,
    input: outcome.input ?? input,
    result: resultOf(outcome.output),
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
    const needed =
      typeof needsApproval === 'function'
        ? await needsApproval(admitted.value, { toolCallId: call.id, messages: itemsOf(state.messages) })
        : needsApproval;
    return { next: needed === true ? 'asking' : 'cleared', input: admitted.input };
  } catch (error) {
    const data = toErrorData(error);
    return { ...mistaken('tool_error', data.message), error: data };
  }
}
