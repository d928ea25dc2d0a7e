import type { RunRequest } from '../../engines/port/request.js';
import { makeScope } from '../../run/journal/scope-path.js';
import type {
  AtLimit,
  Machine,
  MachineDecision,
  MachineEffect,
  MachineObservation,
} from '../../run/machine/machine.js';
import type { StepOptions } from '../../run/run-context.js';
import { assertNever } from '../../termination/assert-never.js';
import type { Ending } from '../../termination/ending.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import { mostEscalations } from '../options/gate.js';
import type { AnySuggestor } from '../options/suggestor.js';
import { applyCycle } from './apply-cycle.js';
import { callbackFailure } from './causes.js';
import { makeCycleKey, makeGateKey } from './convergence-key.js';
import type { CycleEntry } from './cycle-entry.js';
import { decideGate } from './decide-gate.js';
import { draftOf } from './draft-of.js';
import { findMissing, hearReturned, suggestorKey } from './hear-suggestor.js';
import { refusedEndings } from './oscillation.js';
import type { ConvergencePlan } from './plan.js';
import { resumeState } from './resume-state.js';
import type { Rules } from './rules.js';
import { type MachineInput, startState } from './start-state.js';
import type { ConvergenceState, Draft, OpenGate } from './state.js';
import { summaryOf } from './summary.js';

/**
 * The loop of a convergence as a fold. Inside another run, gate ids begin with the path of its unit. The phases of a cycle:
 *
 *   phase       asks for                                    then
 *   merging     one record: proposals become facts, rules   suggesting, if a suggestor is awake; deciding, if only gates are
 *               and criteria judge them, suggestors wake    open; else the ending
 *   suggesting  every awake suggestor, a step or a unit     merging, once all have returned
 *   deciding    the answers to open gates                   merging, once they are decided (any of them with
 *                                                           `whileOpen: 'continue'`)
 *
 * Gates of earlier cycles may stay open in every phase. With an ending the output is made, if the options have one. The
 * merge is judged in perform/judge-cycle.ts and folded in by apply-cycle.ts; a resume goes through resume-state.ts.
 */
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
    atLimit: (state, limit) => atLimit(state, rules, limit),
    resume: (state, opening) => resumeState(state, opening, { path, waitsAtGates: rules.waitsAtGates }),
    idle: (state, milliseconds) => {
      const draft = draftOf(state);
      draft.lastAt += milliseconds;
      return draft;
    },
  };
}

/** A limit that ends the run from outside is one of its budgets: what those lose against, it loses against too. */
function atLimit(state: ConvergenceState, { oscillation }: Rules, limit: Ending): AtLimit | undefined {
  if (state.ending !== null) return { type: 'stop', reached: state.ending };
  const [termination, ...others] = oscillation === undefined ? [] : refusedEndings(state.rounds, oscillation);
  return termination && { type: 'end', termination, also: [...others, limit] };
}

function decide(state: ConvergenceState, rules: Rules, path: string): MachineDecision<ConvergencePlan> {
  if (state.ending !== null) {
    const own = rules.options.output !== undefined;
    if (own && !state.outputMade) return performRecord('output', { type: 'output', state });
    const also = state.also.length > 0 && { also: state.also };
    const output = own ? state.output : (summaryOf(state) as unknown as JsonValue);
    return { type: 'end', termination: state.ending, ...also, ...(output !== undefined && { output }) };
  }
  const open = state.gates.map((gate) => gateEffect(gate, rules, path));
  switch (state.phase) {
    case 'merging': {
      const merge: MachineEffect<ConvergencePlan> = {
        type: 'record',
        key: makeCycleKey(state.cycle),
        plan: { type: 'cycle', state },
      };
      // Gates of earlier cycles stay open beside it.
      return { type: 'perform', effects: rules.waitsAtGates ? [merge] : [...open, merge] };
    }
    case 'suggesting': {
      const { concurrency } = rules.options;
      const effects = [...open, ...findMissing(state, rules).map((name) => suggestEffect(state, rules, name))];
      return { type: 'perform', effects, ...(concurrency !== undefined && { concurrency }) };
    }
    case 'deciding':
      return { type: 'perform', effects: open, ...(state.also.length > 0 && { also: state.also }) };
    default:
      return assertNever('Unknown phase', state.phase);
  }
}

function performRecord(key: string, plan: ConvergencePlan): MachineDecision<ConvergencePlan> {
  return { type: 'perform', effects: [{ type: 'record', key, plan }] };
}

function suggestEffect(state: ConvergenceState, rules: Rules, name: string): MachineEffect<ConvergencePlan> {
  const suggestor = rules.byName.get(name) as AnySuggestor;
  const plan: ConvergencePlan = { type: 'suggest', state, suggestor };
  if ('use' in suggestor.options) {
    const { limits } = suggestor.options.use;
    return { type: 'unit', key: name, plan, ...(limits !== undefined && { limits }) };
  }
  const { retry } = suggestor.options;
  const { timeoutMs } = suggestor;
  const key = suggestorKey(state, rules, name);
  if (retry === undefined && timeoutMs === undefined) return { type: 'step', key, plan };
  const options: StepOptions = {
    ...(retry !== undefined && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return { type: 'step', key, plan, options };
}

function gateEffect(gate: OpenGate, rules: Rules, path: string): MachineEffect<ConvergencePlan> {
  const { proposal, by, ref, cycle, summary, deadline } = gate;
  const id = makeScope(path, gate.gateId);
  const request: RunRequest = {
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
function expiryOf({ policy, level }: OpenGate, rules: Rules): NonNullable<RunRequest['onExpiry']> {
  const wanted = rules.gates[policy]?.options.onExpiry ?? 'end';
  if (wanted !== 'escalate') return wanted;
  return level < mostEscalations ? 'reject' : 'end';
}

/** Active time passes with every observation but an answer, for which nobody worked. */
function passTime(draft: Draft, { at, type }: MachineObservation): void {
  if (at <= draft.lastAt) return;
  if (type !== 'answer') draft.activeMs += at - draft.lastAt;
  draft.lastAt = at;
}

function apply(draft: Draft, rules: Rules, observation: MachineObservation, path: string): void {
  if (observation.type === 'answer') {
    const gate = draft.gates.find(({ gateId }) => observation.key === makeGateKey(makeScope(path, gateId)));
    if (gate !== undefined) decideGate(draft, rules, gate, observation.answer);
  } else if (draft.ending !== null) keepOutput(draft, observation);
  else if (draft.phase === 'suggesting') hearReturned(draft, rules, observation);
  else if (observation.type === 'value')
    applyCycle(draft, rules, observation.value as unknown as CycleEntry, observation.at);
  else if (observation.type === 'error') {
    draft.ending = callbackFailure(observation.error);
    // Nothing was merged, so a resume has to merge before it wakes anyone.
    draft.awake = [];
  }
}

function keepOutput(draft: Draft, observation: MachineObservation): void {
  draft.outputMade = true;
  if (observation.type === 'value') draft.output = observation.value;
  if (observation.type !== 'error') return;
  if (draft.ending !== null) draft.also = [draft.ending, ...draft.also];
  draft.ending = callbackFailure(observation.error);
}
