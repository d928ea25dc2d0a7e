import type { ReceivedAnswer, Request } from '../../engines/port/request.js';
import type { Charge } from '../../engines/port/usage.js';
import { instantOf } from '../../run/ending/pause.js';
import { frozenCopy } from '../../run/frozen.js';
import { makeScope } from '../../run/journal/scope-path.js';
import { appendAll } from '../../run/log.js';
import type { Decision, Effect, Machine, Observation } from '../../run/machine/machine.js';
import type { StepOptions } from '../../run/run-context.js';
import { assertNever } from '../../termination/assert-never.js';
import { isObject, type JsonObject, type JsonValue } from '../../termination/json.js';
import type { Approval } from '../facts/fact.js';
import { parseFactRef } from '../facts/fact-ref.js';
import { mostEscalations } from '../options/gate.js';
import type { AnySuggestor, SuggestorOutcome } from '../options/suggestor.js';
import { applyCycle, escalatedGate, refuse, reopenedGate, startMerge } from './apply-cycle.js';
import { callbackFailure } from './causes.js';
import { makeCycleKey, makeGateKey, makeSuggestorKey } from './convergence-key.js';
import type { CycleEntry } from './cycle-entry.js';
import { draftOf } from './draft-of.js';
import { type ConvergencePlan, categoryOf, type UnitOutcome } from './plan.js';
import { resumed } from './resume-state.js';
import type { Rules } from './rules.js';
import { type MachineInput, startState } from './start-state.js';
import type { ConvergenceState, Draft, Failure, GateRecord, OpenGate, Queued } from './state.js';
import { summaryOf } from './summary.js';

/** The loop of a convergence as a fold. Inside another run, gate ids begin with the path of its unit. */
export function convergenceMachine(rules: Rules, path = ''): Machine<ConvergenceState, ConvergencePlan, MachineInput> {
  return {
    init: (input) => startState(rules, input),
    decide: (state) => decide(state, rules, path),
    apply: (state, observation) => {
      const draft = draftOf(state);
      passTime(draft, observation);
      apply(draft, rules, observation, path);
      return draft;
    },
    resume: (state, opening) => resumed(state, opening, { path, waitsAtGates: rules.waitsAtGates }),
    idle: (state, milliseconds) => {
      const draft = draftOf(state);
      draft.lastAt += milliseconds;
      return draft;
    },
  };
}

function decide(state: ConvergenceState, rules: Rules, path: string): Decision<ConvergencePlan> {
  if (state.ending !== null) {
    const own = rules.options.output !== undefined;
    if (own && !state.outputMade) return recorded('output', { type: 'output', state });
    const also = state.also.length > 0 && { also: state.also };
    const output = own ? state.output : (summaryOf(state) as unknown as JsonValue);
    return { type: 'end', termination: state.ending, ...also, ...(output !== undefined && { output }) };
  }
  const open = state.gates.map((gate) => gateEffect(gate, rules, path));
  switch (state.phase) {
    case 'merging': {
      const merge: Effect<ConvergencePlan> = {
        type: 'record',
        key: makeCycleKey(state.cycle),
        plan: { type: 'cycle', state },
      };
      // Gates of earlier cycles stay open beside it.
      return { type: 'perform', effects: rules.waitsAtGates ? [merge] : [...open, merge] };
    }
    case 'suggesting': {
      const { concurrency } = rules.options;
      const effects = [...open, ...stillOut(state, rules).map((name) => suggestEffect(state, rules, name))];
      return { type: 'perform', effects, ...(concurrency !== undefined && { concurrency }) };
    }
    case 'deciding':
      return { type: 'perform', effects: open, ...(state.also.length > 0 && { also: state.also }) };
    default:
      return assertNever('Unknown phase', state.phase);
  }
}

function recorded(key: string, plan: ConvergencePlan): Decision<ConvergencePlan> {
  return { type: 'perform', effects: [{ type: 'record', key, plan }] };
}

function suggestEffect(state: ConvergenceState, rules: Rules, name: string): Effect<ConvergencePlan> {
  const suggestor = rules.byName.get(name) as AnySuggestor;
  const plan: ConvergencePlan = { type: 'suggest', state, suggestor };
  if ('use' in suggestor.options) {
    const { limits } = suggestor.options.use;
    return { type: 'unit', key: name, plan, ...(limits !== undefined && { limits }) };
  }
  const { retry } = suggestor.options;
  const { timeoutMs } = suggestor;
  const key = keyOf(state, rules, name);
  if (retry === undefined && timeoutMs === undefined) return { type: 'step', key, plan };
  const options: StepOptions = {
    ...(retry !== undefined && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return { type: 'step', key, plan, options };
}

/** The key under which a suggestor is asked in this cycle. */
function keyOf({ cycle }: Pick<ConvergenceState, 'cycle'>, rules: Rules, name: string): string {
  const { options } = rules.byName.get(name) as AnySuggestor;
  return 'use' in options ? name : makeSuggestorKey({ cycle, suggestor: name });
}

/** The suggestors of this cycle that have not come back yet. */
function stillOut(state: ConvergenceState, rules: Rules): readonly string[] {
  const { awake, returned, early } = state;
  if (returned === 0 && early.length === 0) return awake;
  const back = new Set(early.map(({ key }) => key));
  return awake.slice(returned).filter((name) => !back.has(keyOf(state, rules, name)));
}

function gateEffect(gate: OpenGate, rules: Rules, path: string): Effect<ConvergencePlan> {
  const { proposal, by, ref, cycle, summary, deadline } = gate;
  const id = makeScope(path, gate.gateId);
  const request: Request = {
    id,
    type: 'gate',
    summary,
    input: { ...proposal, by } as unknown as JsonObject,
    gate: { proposalId: ref, agentId: by, cycle },
    ...(deadline !== undefined && { deadline, onExpiry: expiryOf(gate, rules) }),
  };
  return { type: 'request', key: makeGateKey(id), request };
}

/** An escalation is ours: the engine only has to say that nobody answered. */
function expiryOf({ policy, level }: OpenGate, rules: Rules): NonNullable<Request['onExpiry']> {
  const wanted = rules.gates[policy]?.options.onExpiry ?? 'end';
  if (wanted !== 'escalate') return wanted;
  return level < mostEscalations ? 'reject' : 'end';
}

/** Active time goes on with every observation but an answer, for which nobody worked. */
function passTime(draft: Draft, { at, type }: Observation): void {
  if (at <= draft.lastAt) return;
  if (type !== 'answer') draft.activeMs += at - draft.lastAt;
  draft.lastAt = at;
}

function apply(draft: Draft, rules: Rules, observation: Observation, path: string): void {
  if (observation.type === 'answer') {
    const gate = draft.gates.find(({ gateId }) => observation.key === makeGateKey(makeScope(path, gateId)));
    if (gate !== undefined) decided(draft, rules, gate, observation.answer);
  } else if (draft.ending !== null) keepOutput(draft, observation);
  else if (draft.phase === 'suggesting') returned(draft, rules, observation);
  else if (observation.type === 'value')
    applyCycle(draft, rules, observation.value as unknown as CycleEntry, observation.at);
  else if (observation.type === 'error') {
    draft.ending = callbackFailure(observation.error);
    // Nothing was merged, so a resume has to merge before it wakes anyone.
    draft.awake = [];
  }
}

function keepOutput(draft: Draft, observation: Observation): void {
  draft.outputMade = true;
  if (observation.type === 'value') draft.output = observation.value;
  if (observation.type !== 'error') return;
  if (draft.ending !== null) draft.also = [draft.ending, ...draft.also];
  draft.ending = callbackFailure(observation.error);
}

/** A suggestor came back. They are heard in the order in which they were asked, so one that overtakes another has to wait. */
function returned(draft: Draft, rules: Rules, observation: Observation): void {
  if (observation.key !== nextKey(draft, rules)) {
    draft.early = [...draft.early, observation];
    return;
  }
  for (let next: Observation | undefined = observation; next !== undefined; next = earlyOne(draft, rules))
    hear(draft, rules, next);
  if (draft.returned === draft.awake.length) startMerge(draft);
}

/** The key of the suggestor that is to be heard next. */
function nextKey(draft: Draft, rules: Rules): string | undefined {
  const name = draft.awake[draft.returned];
  return name === undefined ? undefined : keyOf(draft, rules, name);
}

/** Takes out what has come back early and is to be heard now. */
function earlyOne(draft: Draft, rules: Rules): Observation | undefined {
  if (draft.early.length === 0) return undefined;
  const key = nextKey(draft, rules);
  const found = draft.early.find((each) => each.key === key);
  draft.early = draft.early.filter((each) => each !== found);
  return found;
}

function hear(draft: Draft, rules: Rules, observation: Observation): void {
  const name = draft.awake[draft.returned] as string;
  draft.returned += 1;
  const { outcome, failure } = outcomeOf(rules, { cycle: draft.cycle, suggestor: name }, observation);
  book(draft, outcome?.charge);
  if (failure !== undefined) {
    draft.failures = appendAll(draft.failures, [failure]);
    if (rules.byName.get(name)?.optional !== true || isPaused(rules, failure))
      draft.failed = [...draft.failed, failure];
  }
  const proposals = outcome?.proposals ?? [];
  if (proposals.length > 0)
    draft.incoming = appendAll(
      draft.incoming,
      proposals.map((proposal): Queued => ({ proposal, by: name })),
    );
}

/** A pause is for a person, also where the suggestor is optional. */
function isPaused(rules: Rules, { termination }: Failure): boolean {
  return termination !== undefined && categoryOf(rules, termination) === 'paused';
}

interface Returned {
  readonly outcome?: SuggestorOutcome;
  readonly failure?: Failure;
}

function outcomeOf(rules: Rules, asked: Pick<Failure, 'cycle' | 'suggestor'>, observation: Observation): Returned {
  switch (observation.type) {
    case 'value': {
      const outcome = observation.value as unknown as SuggestorOutcome;
      const { refused } = outcome;
      return refused === undefined ? { outcome } : { outcome, failure: { ...asked, refused } };
    }
    case 'unit': {
      const { termination, output } = observation.result;
      const outcome = isObject(output) ? (output as unknown as UnitOutcome) : undefined;
      if (categoryOf(rules, termination) === 'success') return outcome === undefined ? {} : { outcome };
      const path = outcome === undefined ? {} : { path: outcome.path };
      return { ...(outcome !== undefined && { outcome }), failure: { ...asked, termination, ...path } };
    }
    case 'error':
      return { failure: { ...asked, error: observation.error } };
    case 'answer':
    case 'slept':
    case 'not_started':
      return {};
    default:
      return assertNever('Unknown observation', observation);
  }
}

function book(draft: Draft, charge: Charge | undefined): void {
  if (charge === undefined) return;
  draft.tokens += (charge.inputTokens ?? 0) + (charge.outputTokens ?? 0);
  draft.costUsd += charge.costUsd ?? 0;
}

/** Takes a gate that was answered, or whose deadline has decided, out of those that are open. */
function decided(draft: Draft, rules: Rules, gate: OpenGate, answer: ReceivedAnswer): void {
  draft.gates = draft.gates.filter((each) => each !== gate);
  const decision = decisionOf(draft, rules, gate, answer);
  const { by, reason } = answer;
  const who = { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
  const { gateId, ref, cycle } = gate;
  const expired = answer.expired === true;
  const record = { gateId, ref, cycle, decision, expired, ...who, at: instantOf(answer.at) };
  draft.gateRecords = appendAll(draft.gateRecords, [record]);
  const goesOn = draft.gates.length === 0 || !rules.waitsAtGates;
  if (draft.phase === 'deciding' && goesOn) startMerge(draft);
}

function decisionOf(draft: Draft, rules: Rules, gate: OpenGate, answer: ReceivedAnswer): GateRecord['decision'] {
  const expired = answer.expired === true;
  const next =
    expired && rules.gates[gate.policy]?.options.onExpiry === 'escalate' && escalatedGate(rules, gate, answer.at);
  if (next) {
    draft.gates = [...draft.gates, next];
    return 'escalated';
  }
  if (answer.decision === 'deny') return rejected(draft, rules, gate, answer);
  if (answer.decision === 'value' && answer.value === undefined) {
    draft.gates = [...draft.gates, ...reopenedGate(rules, gate, 'it has no value', answer.at)];
    return 'reopened';
  }
  return approved(draft, rules, gate, answer);
}

function rejected(draft: Draft, rules: Rules, gate: OpenGate, { by: who, reason }: ReceivedAnswer): 'rejected' {
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

function approved(draft: Draft, rules: Rules, gate: OpenGate, answer: ReceivedAnswer): 'approved' | 'modified' {
  const { by: who, reason, value, expired } = answer;
  const decision = value === undefined ? 'approved' : 'modified';
  const approval: Approval = {
    gateId: gate.gateId,
    decision: expired === true ? 'expired' : decision,
    ...(who !== undefined && { by: who }),
    ...(reason !== undefined && { reason }),
    at: instantOf(answer.at),
  };
  const proposal =
    value === undefined ? gate.proposal : { ...gate.proposal, ...idOf(gate), payload: frozenCopy(value as JsonValue) };
  draft.incoming = appendAll(draft.incoming, [{ proposal, by: gate.by, approval, passed: gate }]);
  // Whoever proposed it may not know of the change, and would go on proposing the same.
  if (value !== undefined) refuse(draft, rules, gate);
  return decision;
}

/** A changed content keeps the id that the proposal had. */
function idOf({ ref }: OpenGate): { readonly id: string } {
  return { id: parseFactRef(ref)?.id ?? ref };
}
