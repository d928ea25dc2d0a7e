import type { ReceivedAnswer } from '../../engines/port/request.js';
import { instantOf } from '../../run/ending/pause.js';
import { frozenCopy } from '../../run/frozen.js';
import { appendAll } from '../../run/log.js';
import type { JsonValue } from '../../termination/json.js';
import type { FactApproval } from '../facts/fact.js';
import { parseFactRef } from '../facts/fact-ref.js';
import { escalatedGate, refuse, reopenedGate, startMerge } from './apply-cycle.js';
import type { Rules } from './rules.js';
import type { Draft, GateRecord, OpenGate } from './state.js';

/** Closes a gate that was answered, or whose deadline has decided. */
export function decideGate(draft: Draft, rules: Rules, gate: OpenGate, answer: ReceivedAnswer): void {
  draft.gates = draft.gates.filter((each) => each !== gate);
  const decision = applyAnswer(draft, rules, gate, answer);
  const { by, reason } = answer;
  const who = { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
  const { gateId, ref, cycle } = gate;
  const expired = answer.expired === true;
  const record = { gateId, ref, cycle, decision, expired, ...who, at: instantOf(answer.at) };
  draft.gateRecords = appendAll(draft.gateRecords, [record]);
  const continues = draft.gates.length === 0 || !rules.waitsAtGates;
  if (draft.phase === 'deciding' && continues) startMerge(draft);
}

function applyAnswer(draft: Draft, rules: Rules, gate: OpenGate, answer: ReceivedAnswer): GateRecord['decision'] {
  const expired = answer.expired === true;
  const next =
    expired && rules.gates[gate.policy]?.options.onExpiry === 'escalate' && escalatedGate(rules, gate, answer.at);
  if (next) {
    draft.gates = [...draft.gates, next];
    return 'escalated';
  }
  if (answer.decision === 'deny') return rejectProposal(draft, rules, gate, answer);
  if (answer.decision === 'value' && answer.value === undefined) {
    draft.gates = [...draft.gates, ...reopenedGate(rules, gate, 'it has no value', answer.at)];
    return 'reopened';
  }
  return approveProposal(draft, rules, gate, answer);
}

function rejectProposal(draft: Draft, rules: Rules, gate: OpenGate, { by: who, reason }: ReceivedAnswer): 'rejected' {
  const { ref, by, cycle, gateId } = gate;
  const { payload } = gate.proposal;
  const why = reason ?? `rejected by ${who ?? 'a person'}`;
  const rejection = {
    cycle,
    ref,
    by,
    type: 'human',
    reason: why,
    payload,
    gate: gateId,
    ...(who !== undefined && { who }),
  } as const;
  draft.rejections = appendAll(draft.rejections, [Object.freeze(rejection)]);
  if (rules.byName.has(by)) draft.rebuffed = [...new Set([...draft.rebuffed, by])];
  refuse(draft, rules, gate);
  return 'rejected';
}

function approveProposal(draft: Draft, rules: Rules, gate: OpenGate, answer: ReceivedAnswer): 'approved' | 'modified' {
  const { by: who, reason, value, expired } = answer;
  const decision = value === undefined ? 'approved' : 'modified';
  const approval: FactApproval = {
    gateId: gate.gateId,
    decision: expired === true ? 'expired' : decision,
    ...(who !== undefined && { by: who }),
    ...(reason !== undefined && { reason }),
    at: instantOf(answer.at),
  };
  const proposal =
    value === undefined ? gate.proposal : { ...gate.proposal, ...idOf(gate), payload: frozenCopy(value as JsonValue) };
  draft.incoming = appendAll(draft.incoming, [{ proposal, by: gate.by, approval, passed: gate }]);
  // Whoever proposed it may not know of the change, and would propose the same again.
  if (value !== undefined) refuse(draft, rules, gate);
  return decision;
}

/** A changed content keeps the id that the proposal had. */
function idOf({ ref }: OpenGate): { readonly id: string } {
  return { id: parseFactRef(ref)?.id ?? ref };
}
