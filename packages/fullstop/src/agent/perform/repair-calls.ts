import type { AssistantPart } from '../../models/message.js';
import type { ModelResponse, ModelToolCall } from '../../models/model-response.js';
import type { StepAttempt } from '../../run/run-context.js';
import { normalise } from '../../run/unit/normalise.js';
import { checkOptions } from '../../stop/check-option.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { JsonObject } from '../../termination/json.js';
import { notJsonText, unknownToolText } from '../machine/round.js';
import type { AgentState, JournalledRepair } from '../machine/state.js';
import type { Prepared } from '../options/prepare.js';
import type { BrokenCallView, RepairedCall, RepairToolCall } from '../options/repair-tool-call.js';
import { violationText } from '../tools/schema.js';
import { copyJson } from './copy-json.js';
import { snapshotOf, withMessages } from './snapshot.js';

interface Repairing {
  readonly prepared: Prepared;
  readonly state: AgentState;
  readonly attempt: StepAttempt;
  /** The tools that the model was offered. */
  readonly offered: readonly string[];
}

interface Repaired {
  readonly response: ModelResponse;
  readonly repaired?: readonly JournalledRepair[];
}

type Problem = Pick<BrokenCallView, 'problem' | 'message'>;

/** Asks once about each call of an answer that cannot be made, and puts what it returns in its place if that can be. */
export async function repairCalls(
  repairToolCall: RepairToolCall,
  response: ModelResponse,
  repairing: Repairing,
): Promise<Repaired> {
  let repairs: JournalledRepair[] | undefined;
  let made = response;
  for (const call of response.toolCalls) {
    const problem = await problemOf(call, repairing);
    if (problem === undefined) continue;
    const { id, tool, input, invalid: inputText } = call;
    const { repaired, error } = await repair(repairToolCall, { call, problem }, repairing);
    const written = { id, tool, input, ...(inputText !== undefined && { inputText }), problem: problem.problem };
    repairs ??= [];
    repairs.push({ ...written, repaired: repaired !== undefined, ...(error !== undefined && { error }) });
    if (repaired !== undefined) made = withCall(made, repaired);
  }
  return repairs === undefined ? { response } : { response: made, repaired: repairs };
}

/** The reason that keeps a call from being made; undefined for one that can be, or that nobody may make. */
async function problemOf(call: ModelToolCall, { prepared, offered }: Repairing): Promise<Problem | undefined> {
  const { tool, input, invalid } = call;
  const found = prepared.tools.get(tool);
  if (found !== undefined && typeof found.permission !== 'string') return undefined;
  if (found === undefined || !offered.includes(tool))
    return { problem: 'unknown_tool', message: unknownToolText(tool, offered) };
  if (invalid !== undefined) return { problem: 'bad_arguments', message: notJsonText(invalid) };
  const checked = await found.schema.check(copyJson(input));
  if (checked.ok) return undefined;
  return { problem: 'bad_arguments', message: `The arguments do not fit: ${violationText(checked.violations)}` };
}

interface Broken {
  readonly call: ModelToolCall;
  readonly problem: Problem;
}

interface Repair {
  readonly repaired?: ModelToolCall;
  readonly error?: ReturnType<typeof toErrorData>;
}

/** One attempt at a repair. Nothing passes by a mistake in it: the call is then as broken as it was, and the model reads so. */
async function repair(repairToolCall: RepairToolCall, broken: Broken, repairing: Repairing): Promise<Repair> {
  const { call } = broken;
  try {
    const given: unknown = await repairToolCall(await viewOf(broken, repairing));
    if (given === undefined || given === null) return {};
    const { tool = call.tool, input = call.input } = checkOptions(given as RepairedCall, 'repairToolCall', [
      'tool',
      'input',
    ]);
    const repaired: ModelToolCall = { id: call.id, tool, input: copyJson(normalise(input)) ?? {} };
    const problem = await problemOf(repaired, repairing);
    if (problem === undefined && mayCall(repairing, tool)) return { repaired };
    throw new FullstopError('INVALID_OPTION', `The repaired call cannot be made either. ${problem?.message ?? ''}`);
  } catch (error) {
    if (repairing.attempt.signal.aborted) throw error;
    return { error: toErrorData(error) };
  }
}

/** True for a tool that may be called at all. */
function mayCall({ prepared: { tools } }: Repairing, tool: string): boolean {
  return typeof tools.get(tool)?.permission === 'string';
}

async function viewOf(
  { call: { id, tool, input, invalid }, problem }: Broken,
  { prepared, state, attempt, offered }: Repairing,
): Promise<BrokenCallView> {
  const inputSchema = await schemaOf(prepared, tool);
  const view = {
    toolCallId: id,
    tool,
    input: copyJson(input),
    ...(invalid !== undefined && { inputText: invalid }),
    ...problem,
    tools: [...offered],
    ...(inputSchema !== undefined && { inputSchema }),
    signal: attempt.signal,
  };
  return withMessages(view, () => snapshotOf(state.messages));
}

async function schemaOf({ tools }: Prepared, tool: string): Promise<JsonObject | undefined> {
  try {
    return copyJson(await tools.get(tool)?.schema.jsonSchema());
  } catch {
    return undefined;
  }
}

/** The answer with another call, in what is made of it and in what the model reads of it later. */
function withCall(response: ModelResponse, repaired: ModelToolCall): ModelResponse {
  const { id, tool: toolName, input } = repaired;
  return {
    ...response,
    toolCalls: response.toolCalls.map((call) => (call.id === id ? repaired : call)),
    content: response.content.map(
      (part): AssistantPart =>
        part.type === 'tool-call' && part.toolCallId === id ? { ...part, toolName, input } : part,
    ),
  };
}
