import { count, instant, json, listOf, oneOf, optional, shape, text } from '../check.js';
import type { Ending } from '../ending.js';
import type { JsonValue } from '../json.js';
import { capacity, type KindRows, paused } from '../kind-row.js';
import { colonList, counted, inline, listed } from '../text/wording.js';

/** One of the answers that a gate or request offers. */
export interface AnswerOption {
  readonly value: string;
  readonly label?: string;
}

/** A gate that waits for a person. */
export interface PendingGate {
  readonly gateId: string;
  readonly path: string;
  readonly summary: string;
  readonly proposalId?: string;
  readonly agentId?: string;
  readonly cycle?: number;
  readonly options?: readonly AnswerOption[];
  readonly deadline?: string;
}

/** A question to someone outside the run. */
export interface PendingRequest {
  readonly id: string;
  readonly path: string;
  readonly type: 'approval' | 'input' | 'client_tool' | 'confirm_outcome' | 'gate';
  readonly tool?: string;
  readonly input?: JsonValue;
  readonly schema?: JsonValue;
  readonly options?: readonly AnswerOption[];
  readonly deadline?: string;
}

/** The run waits at one or more gates. */
export interface GatePending extends Ending<'gate_pending', 'paused', 'human'> {
  readonly gates: readonly PendingGate[];
}

/** The run waits for approvals, inputs or results from outside. */
export interface InteractionPending extends Ending<'interaction_pending', 'paused', 'human'> {
  readonly requests: readonly PendingRequest[];
}

/** The work is done as far as it goes, but some criteria need a person. */
export interface HumanInterventionRequired extends Ending<'human_intervention_required', 'paused', 'human'> {
  readonly criteria: readonly string[];
  readonly approvalRefs: readonly string[];
}

/** Nobody answered a gate in time. */
export interface GateExpired extends Ending<'gate_expired', 'capacity', 'human'> {
  readonly gateId: string;
  readonly deadline: string;
}

export interface HumanKinds {
  gate_pending: GatePending;
  interaction_pending: InteractionPending;
  human_intervention_required: HumanInterventionRequired;
  gate_expired: GateExpired;
}

const options = optional(listOf(shape<AnswerOption>({ value: text, label: optional(text) })));
const waiting = { family: 'human', ...paused } as const;

export const humanRows: KindRows<HumanKinds> = {
  gate_pending: {
    ...waiting,
    fields: {
      gates: listOf(
        shape<PendingGate>({
          gateId: text,
          path: text,
          summary: text,
          proposalId: optional(text),
          agentId: optional(text),
          cycle: optional(count),
          options,
          deadline: optional(instant),
        }),
      ),
    },
    describe: (t) => `Waiting at ${counted(t.gates.length, 'gate')}${colonList(t.gates.map(gateText))}.`,
    nextAction: (t) => `Ask a person to answer ${open(t.gates.map((gate) => gate.gateId))}; the run then continues.`,
  },
  interaction_pending: {
    ...waiting,
    fields: {
      requests: listOf(
        shape<PendingRequest>({
          id: text,
          path: text,
          type: oneOf('approval', 'input', 'client_tool', 'confirm_outcome', 'gate'),
          tool: optional(text),
          input: optional(json),
          schema: optional(json),
          options,
          deadline: optional(instant),
        }),
      ),
    },
    describe: (t) => `Waiting for ${counted(t.requests.length, 'answer')}${colonList(t.requests.map(requestText))}.`,
    nextAction: (t) => `Answer ${open(t.requests.map((request) => request.id))}; the run then continues.`,
  },
  human_intervention_required: {
    ...waiting,
    fields: { criteria: listOf(text), approvalRefs: listOf(text) },
    describe: (t) => `Some criteria need a person${colonList(t.criteria)}${approvals(t.approvalRefs)}.`,
    nextAction: () => 'Ask a person to settle the criteria, then resume.',
  },
  gate_expired: {
    family: 'human',
    ...capacity,
    fields: { gateId: text, deadline: instant },
    describe: (t) => `Nobody answered the gate ${t.gateId} by ${t.deadline}.`,
    nextAction: () => 'Resume with a new deadline, and let someone know that the gate is waiting.',
  },
};

const requestWords = {
  approval: 'approval of',
  input: 'input for',
  client_tool: 'the result of',
  confirm_outcome: 'confirmation of the outcome of',
  gate: 'the gate',
} as const;

function requestText(request: PendingRequest): string {
  return `${requestWords[request.type]} ${request.tool ?? request.id}`;
}

function gateText(gate: PendingGate): string {
  return `${gate.gateId} (${inline(gate.summary, 100)})`;
}

function open(names: readonly string[]): string {
  return names.length === 0 ? 'what is open' : listed(names);
}

function approvals(references: readonly string[]): string {
  return references.length === 0 ? '' : ` (approvals: ${listed(references)})`;
}
