import type { ReceivedAnswer, RequestAnswer } from '../../engines/port/request.js';
import type { MachineObservation } from '../../run/machine/machine.js';
import type { UnitResult } from '../../run/run-context.js';
import { assertNever } from '../../termination/assert-never.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { escapeUnstorable } from '../../termination/text/storable-text.js';
import { makeApprovalId, makeRequestId } from './agent-key.js';
import { indexOfCall, isOutcome } from './call-key.js';
import { addUsage } from './draft.js';
import { enterPhase } from './phases.js';
import { finishCall, finishRoundIfDone, mistakeOutcome } from './round.js';
import type { AgentRules } from './rules.js';
import type { Call, CheckedCall, Draft, ToolOutcome } from './state.js';
import { stoppedOutcome } from './stopped-call.js';
import { endsWithHandOff } from './take-over.js';
import { isCutOff, unitOutcome } from './unit-outcome.js';

/** Applies what came of an effect of a call; the last result of a round ends it. */
export function applyTool(draft: Draft, rules: AgentRules, observation: MachineObservation): void {
  const index = draft.round.length === 1 ? 0 : indexOfCall(draft, observation.key);
  const before = draft.round[index];
  if (before === undefined) return;
  const call = callAfter(draft, rules, before, observation);
  draft.round = draft.round.length === 1 ? [call] : draft.round.with(index, call);
  if (call.stage !== 'done') return;
  if (rules.handsOff && endsWithHandOff(draft, rules, { call, before, observation })) return;
  if (rules.goal === 'tool_call') enterPhase(draft, 'judging_call');
  else finishRoundIfDone(draft, rules);
}

/** A call that passed its checks. */
function checkedCall(draft: Draft, rules: AgentRules, call: Call, { input, next, resultSchema }: CheckedCall): Call {
  const checked: Call = { ...call, input, stage: next, ...(resultSchema !== undefined && { resultSchema }) };
  switch (next) {
    case 'cleared':
      return checked;
    case 'called':
      return { ...checked, requestId: newRequestId(draft, rules, call.id) };
    case 'asking': {
      // A call that is performed outside keeps its id for its result: whoever performs it knows no other.
      const isClient = rules.tools.get(call.tool)?.client !== undefined;
      return { ...checked, requestId: newRequestId(draft, rules, isClient ? makeApprovalId(call.id) : call.id) };
    }
    default:
      return assertNever('Unknown next stage', next);
  }
}

/** The id under which someone is asked; it is used for no other request of the run. */
function newRequestId(draft: Draft, { scope }: AgentRules, given: string): string {
  // Models choose the ids of calls, and no store could return some of them.
  const id = escapeUnstorable(given);
  const count = (draft.asked[id] ?? 0) + 1;
  draft.asked = { ...draft.asked, [id]: count };
  return makeRequestId(scope, id, count);
}

function callAfter(draft: Draft, rules: AgentRules, call: Call, observation: MachineObservation): Call {
  switch (observation.type) {
    case 'value': {
      const value = observation.value as unknown as ToolOutcome | CheckedCall;
      if (isObject(value) && 'next' in value) return checkedCall(draft, rules, call, value as CheckedCall);
      return finishCall(call, isOutcome(value) ? value : confirmedOutcome(observation.value));
    }
    case 'error': {
      const { error, outcomeUnknown } = observation;
      // What had not begun is observed as not started.
      if (error.code === 'BATCH_STOPPED')
        return finishCall(call, stoppedOutcome(call, outcomeUnknown, draft.limit !== null));
      const output = { type: 'error-text', value: error.message } as const;
      // A tool that takes too long is no mistake of the model's.
      return finishCall(
        call,
        error.code === 'STEP_TIMEOUT' ? { output, error } : { output, error, mistake: 'tool_error' },
      );
    }
    case 'answer':
      if (call.stage === 'called') return receiveOutside(rules, call, observation.answer);
      return applyDecision(draft, rules, call, observation.answer);
    case 'unit':
      return isCutOff(observation.result)
        ? { ...call, cut: observation.result }
        : receiveOutcome(rules, call, applyUnit(draft, call, observation.result));
    default:
      return call;
  }
}

/** The outcome of a call that a person confirmed, because its own was lost: a plain result. */
function confirmedOutcome(value: JsonValue | undefined): ToolOutcome {
  if (typeof value === 'string') return { output: { type: 'text', value } };
  return { output: { type: 'json', value: value ?? null } };
}

/** Applies a person's answer to the request for approval. */
function applyDecision(draft: Draft, rules: AgentRules, call: Call, given: ReceivedAnswer | RequestAnswer): Call {
  const { decision, value, reason } = given;
  switch (decision) {
    case 'approve': {
      if (value !== undefined) return { ...call, stage: 'approved', input: value, edited: true };
      if (rules.tools.get(call.tool)?.client === undefined) return { ...call, stage: 'approved' };
      return { ...call, stage: 'called', requestId: newRequestId(draft, rules, call.id) };
    }
    case 'deny':
      return denyCall(call, reason);
    case 'value':
      // Engines refuse it; in a journal that has it nevertheless it is no approval.
      return denyCall(call, 'the answer was neither a yes nor a no');
    default:
      return assertNever('Unknown decision', decision);
  }
}

/** Applies the result of a call that was performed outside, or that there is none. */
function receiveOutside(rules: AgentRules, call: Call, { decision, value = null, reason }: ReceivedAnswer): Call {
  if (decision !== 'value')
    return finishCall(call, mistakeOutcome('tool_error', reason ?? 'The tool returned no result.'));
  return receiveOutcome(rules, call, confirmedOutcome(value));
}

function denyCall(call: Call, reason: string | undefined): Call {
  const outcome = mistakeOutcome('denied', `The call was denied${reason === undefined ? '.' : `: ${reason}`}`);
  return finishCall(call, {
    ...outcome,
    output: { type: 'execution-denied', ...(reason !== undefined && { reason }) },
  });
}

/** A result that comes from no step is checked first, where a schema, a hook or the tool has a say. */
function receiveOutcome(rules: AgentRules, call: Call, outcome: ToolOutcome): Call {
  if (rules.tools.get(call.tool)?.judged !== true) return finishCall(call, outcome);
  return { ...call, stage: 'received', outcome };
}

/** The outcome of an agent inside this one, whose usage counts here too. */
function applyUnit(draft: Draft, call: Call, result: UnitResult): ToolOutcome {
  const outcome = unitOutcome(call, result);
  const { usage, costUsd = 0, estimated = false } = outcome.child;
  if (usage !== undefined) addUsage(draft, { ...usage, costUsd, estimated });
  return outcome;
}
