import type { RunRequest } from '../../engines/port/request.js';
import type { MachineEffect } from '../../run/machine/machine.js';
import type { StepOptions } from '../../run/run-context.js';
import { makeCallUnit } from './agent-key.js';
import { callKey } from './call-key.js';
import { toolTime } from './in-flight.js';
import type { AgentPlan } from './plan.js';
import type { AgentRules, RequestTerms, ToolRule } from './rules.js';
import type { AgentState, Call } from './state.js';
import { isHandOff } from './take-over.js';

/** The effects that the calls of a round need next. */
export function callEffects(state: AgentState, rules: AgentRules): readonly MachineEffect<AgentPlan>[] {
  // Most rounds have one call, and a list that is pushed to has room for sixteen more.
  if (state.round.length === 1 && state.round[0]?.stage !== 'done') return [callEffect(state, rules, 0)];
  const effects: MachineEffect<AgentPlan>[] = [];
  let handOff: number | undefined;
  for (let index = 0; index < state.round.length; index += 1) {
    const call = state.round[index] as Call;
    if (call.stage === 'done') continue;
    if (isHandOff(rules, call)) handOff = index;
    else effects.push(callEffect(state, rules, index));
    if (rules.goal === 'tool_call' && effects.length === 1) break;
  }
  // Whoever takes over sees the results of the other calls.
  return effects.length > 0 || handOff === undefined ? effects : [callEffect(state, rules, handOff)];
}

function callEffect(state: AgentState, rules: AgentRules, index: number): MachineEffect<AgentPlan> {
  const call = state.round[index] as Call;
  const rule = rules.tools.get(call.tool);
  switch (call.stage) {
    case 'asking':
      return { type: 'request', key: callKey(state, index, 'ask'), request: approvalOf(state, rules, call) };
    case 'called':
      return { type: 'request', key: callKey(state, index, 'call'), request: resultRequest(state, rules, call) };
    case 'received':
      return { type: 'record', key: callKey(state, index, 'result'), plan: { type: 'receive', call, state } };
    case 'ready':
      if (isChecked(state, rules, index, rule))
        return { type: 'record', key: callKey(state, index, 'check'), plan: { type: 'check', call, state } };
      break;
    case 'approved':
      // The run does not perform it, so changed arguments are checked before they leave.
      if (rule?.client !== undefined)
        return { type: 'record', key: callKey(state, index, 'recheck'), plan: { type: 'check', call, state } };
      break;
    default:
  }
  if (isUnit(state, rules, index, rule)) {
    const timeMs = toolTime(state, rules, rule?.timeoutMs);
    const effect = { type: 'unit', key: makeCallUnit(call), plan: { type: 'unit', call, state, timeMs } } as const;
    return rule?.handsOff === true ? { ...effect, takesOver: true } : effect;
  }
  const options = stepOptions(state, rules, call, rule);
  const plan: AgentPlan = { type: 'tool', call, state };
  return options === undefined
    ? { type: 'step', key: callKey(state, index, 'tool'), plan, isJson: true, beginsLater: true }
    : { type: 'step', key: callKey(state, index, 'tool'), plan, options, isJson: true, beginsLater: true };
}

/** True when a call is checked before anything else: as the journal has it, or as its tool says. */
function isChecked(state: AgentState, { past }: AgentRules, index: number, rule: ToolRule | undefined): boolean {
  const isGated = rule?.gated === true;
  // At the front of the journal no key has to be made to look for it.
  if (past === undefined || past.isOver()) return isGated;
  const call = state.round[index] as Call;
  const { keys } = past.keysBeforeModel(state.counts.modelCalls);
  if (keys.has(callKey(state, index, 'check'))) return true;
  if (keys.has(callKey(state, index, 'tool')) || keys.has(makeCallUnit(call))) return false;
  return isGated;
}

/** True when a call runs an agent: as the journal has it, or as its tool says. */
function isUnit(state: AgentState, { past }: AgentRules, index: number, rule: ToolRule | undefined): boolean {
  const isAgent = rule?.unit === true;
  if (past === undefined || past.isOver()) return isAgent;
  const { keys } = past.keysBeforeModel(state.counts.modelCalls);
  if (keys.has(makeCallUnit(state.round[index] as Call))) return true;
  return isAgent && !keys.has(callKey(state, index, 'tool'));
}

function stepOptions(
  state: AgentState,
  rules: AgentRules,
  call: Call,
  rule: ToolRule | undefined,
): StepOptions | undefined {
  // A call that may happen only once is never stopped half done: its outcome would be unknown.
  if (call.stage === 'approved' && rule?.once === true) {
    return { once: true, about: { tool: call.tool, input: call.input } };
  }
  const timeoutMs = toolTime(state, rules, rule?.timeoutMs);
  return timeoutMs === undefined ? undefined : { timeoutMs };
}

function approvalOf(state: AgentState, rules: AgentRules, { id, requestId = id, tool, input }: Call): RunRequest {
  const request: RunRequest = { id: requestId, type: 'approval', tool, input, summary: `May ${tool} be called?` };
  return withTerms(request, state, rules.tools.get(tool)?.approval);
}

/** Asks whoever performs a call outside for its result. */
function resultRequest(state: AgentState, rules: AgentRules, call: Call): RunRequest {
  const { id, requestId = id, tool, input, resultSchema: schema } = call;
  const request: RunRequest = {
    id: requestId,
    type: 'client_tool',
    tool,
    input,
    summary: `What is the result of ${tool}?`,
  };
  return withTerms(schema === undefined ? request : { ...request, schema }, state, rules.tools.get(tool)?.client);
}

function withTerms(request: RunRequest, { time }: AgentState, terms: RequestTerms = {}): RunRequest {
  const { deadlineMs, onExpiry, escalation } = terms;
  if (deadlineMs === undefined) return request;
  const deadline = time.lastAt + deadlineMs;
  const later = escalation?.deadlineMs;
  return {
    ...request,
    deadline,
    ...(onExpiry !== undefined && { onExpiry }),
    ...(escalation !== undefined && {
      escalation: { to: escalation.to, ...(later !== undefined && { deadline: deadline + later }) },
    }),
  };
}
