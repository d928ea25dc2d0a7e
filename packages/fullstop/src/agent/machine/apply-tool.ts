import type { Answer, ReceivedAnswer } from '../../engines/port/request.js';
import type { Observation } from '../../run/machine/machine.js';
import type { UnitResult } from '../../run/run-context.js';
import { assertNever } from '../../termination/assert-never.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { makeApprovalId, makeRequestId } from './agent-key.js';
import { indexOfCall, isOutcome } from './call-key.js';
import { addUsage } from './draft.js';
import { mistaken, putCall, settled } from './round.js';
import type { AgentRules } from './rules.js';
import type { Call, CheckedCall, Draft, ToolOutcome } from './state.js';
import { unitOutcome } from './unit-outcome.js';

/** Takes in what came of an effect of a call. */
export function applyTool(draft: Draft, rules: AgentRules, observation: Observation): void {
  const index = draft.round.length === 1 ? 0 : indexOfCall(draft, observation.key);
  const call = draft.round[index];
  if (call !== undefined) putCall(draft, rules, index, callAfter(draft, rules, call, observation));
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
      // The id of a call that is performed outside is kept for its result: that is all that the one who performs it knows.
      const isClient = rules.tools.get(call.tool)?.client !== undefined;
      return { ...checked, requestId: newRequestId(draft, rules, isClient ? makeApprovalId(call.id) : call.id) };
    }
    default:
      return assertNever('Unknown next stage', next);
  }
}

/** The id under which someone is asked; it is used for no other request of the run. */
function newRequestId(draft: Draft, { scope }: AgentRules, id: string): string {
  const count = (draft.asked[id] ?? 0) + 1;
  draft.asked = { ...draft.asked, [id]: count };
  return makeRequestId(scope, id, count);
}

function callAfter(draft: Draft, rules: AgentRules, call: Call, observation: Observation): Call {
  switch (observation.type) {
    case 'value': {
      const value = observation.value as unknown as ToolOutcome | CheckedCall;
      if (isChecked(value)) return checkedCall(draft, rules, call, value);
      return settled(call, isOutcome(value) ? value : confirmed(observation.value));
    }
    case 'error': {
      const { error } = observation;
      const output = { type: 'error-text', value: error.message } as const;
      // The model is not to blame for a tool that takes too long.
      return settled(
        call,
        error.code === 'STEP_TIMEOUT' ? { output, error } : { output, error, mistake: 'tool_error' },
      );
    }
    case 'answer':
      if (call.stage === 'called') return performedOutside(rules, call, observation.answer);
      return answered(draft, rules, call, observation.answer);
    case 'unit':
      return isCut(observation.result) ? call : received(rules, call, afterUnit(draft, call, observation.result));
    default:
      return call;
  }
}

function isChecked(value: unknown): value is CheckedCall {
  return isObject(value) && 'next' in value;
}

/** What a person says that became of a call whose outcome was lost is its plain result. */
function confirmed(value: JsonValue | undefined): ToolOutcome {
  if (typeof value === 'string') return { output: { type: 'text', value } };
  return { output: { type: 'json', value: value ?? null } };
}

function answered(draft: Draft, rules: AgentRules, call: Call, given: ReceivedAnswer | Answer): Call {
  const { decision, value, reason } = given;
  switch (decision) {
    case 'approve': {
      if (value !== undefined) return { ...call, stage: 'approved', input: value, edited: true };
      if (rules.tools.get(call.tool)?.client === undefined) return { ...call, stage: 'approved' };
      return { ...call, stage: 'called', requestId: newRequestId(draft, rules, call.id) };
    }
    case 'deny':
      return denied(call, reason);
    case 'value':
      // Engines refuse it; from a journal that holds it nevertheless it is no yes.
      return denied(call, 'the answer was neither a yes nor a no');
    default:
      return assertNever('Unknown decision', decision);
  }
}

/** Takes in the result of a call that was performed outside, or that there is none. */
function performedOutside(rules: AgentRules, call: Call, { decision, value = null, reason }: ReceivedAnswer): Call {
  if (decision !== 'value') return settled(call, mistaken('tool_error', reason ?? 'The tool gave no result.'));
  return received(rules, call, confirmed(value));
}

function denied(call: Call, reason: string | undefined): Call {
  const outcome = mistaken('denied', `The call was denied${reason === undefined ? '.' : `: ${reason}`}`);
  return settled(call, { ...outcome, output: { type: 'execution-denied', ...(reason !== undefined && { reason }) } });
}

/** A result that comes from no step of ours is looked at first, where someone has a word about it. */
function received(rules: AgentRules, call: Call, outcome: ToolOutcome): Call {
  if (rules.tools.get(call.tool)?.judged !== true) return settled(call, outcome);
  return { ...call, stage: 'received', outcome };
}

/** True for a unit that ended with the run around it: nothing came of the call yet. An agent that ends by itself says what it used. */
function isCut({ termination, output }: UnitResult): boolean {
  return termination.kind === 'cancelled' && termination.by === 'parent' && output === undefined;
}

/** Takes in how an agent inside this one ended. */
function afterUnit(draft: Draft, call: Call, result: UnitResult): ToolOutcome {
  const outcome = unitOutcome(call, result);
  const { usage, costUsd = 0 } = outcome.child;
  if (usage !== undefined) addUsage(draft, { ...usage, costUsd });
  return outcome;
}
