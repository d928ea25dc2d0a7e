import { itemsOf } from '../../run/log.js';
import type { Observation } from '../../run/machine/machine.js';
import { readJsonText, valueToJson } from '../../template/json-text.js';
import { assertNever } from '../../termination/assert-never.js';
import type { Ending } from '../../termination/ending.js';
import { terminations } from '../../termination/terminations.js';
import type { Step } from '../schema/document.js';
import { applyRoute, followGroup, keep } from './advance.js';
import { memberKey, unitKey } from './effects.js';
import { endWith, fail, failureOf, observe, plain, thrownFailure, unitFailure, unitPath } from './fail.js';
import { type GroupNode, isGroupDone, memberName, withoutFailures, withResult } from './groups.js';
import { stored } from './outputs.js';
import type { Program } from './program.js';
import type {
  Draft,
  Failure,
  GroupProgress,
  MemberResult,
  SetOutcome,
  TerminateOutcome,
  UnitOutcome,
} from './state.js';
import { counted } from './tally.js';

/** Takes in what came of the step at hand, or of a member of the group at hand. */
export function applyStep(draft: Draft, program: Program, observation: Observation): void {
  const node = program.nodes.get(draft.at);
  if (node === undefined) return;
  if (node.kind !== 'step') {
    applyMember(draft, program, { node, observation });
    return;
  }
  const { step } = node;
  if (step.type === 'terminate') {
    applyTerminate(draft, program, { step, outcome: outcomeOf<TerminateOutcome>(observation) });
    return;
  }
  const result = resultOf(draft, step, { observation, key: unitKey(draft) });
  if ('failure' in result) fail(draft, program, result.failure);
  else settleStep(draft, program, { step, result, observation });
}

interface Settled {
  readonly step: Step;
  readonly result: Done;
  readonly observation: Observation;
}

function settleStep(draft: Draft, program: Program, { step, result, observation }: Settled): void {
  keep(draft, program, result.output);
  if (draft.ending !== null) return;
  if (step.type === 'set') applyRoute(draft, program, outcomeOf<SetOutcome>(observation).verdict ?? {});
  else draft.choice = result.to ?? null;
}

interface Done {
  readonly output: string;
  readonly to?: string;
}

interface Observed {
  readonly observation: Observation;
  readonly key: string;
}

/** What a step came to, whatever effect it was. */
function resultOf(draft: Draft, step: Step, { observation, key }: Observed): Done | { readonly failure: Failure } {
  switch (observation.type) {
    case 'value': {
      const { output, problem } = outcomeOf<SetOutcome>(observation);
      if (problem !== undefined) return { failure: failureOf(problem) };
      return { output: output ?? 'null' };
    }
    case 'error':
      return { failure: thrownFailure(observation.error) };
    case 'unit': {
      const { result } = observation;
      if (step.type === 'agent') draft.modelAsked = true;
      spend(draft, result.output as unknown as Partial<UnitOutcome> | undefined);
      const path = unitPath(draft, key);
      // The other endings a sub-workflow comes to by itself, and tells of them before.
      if (step.type === 'workflow' && result.termination.kind === 'time_budget')
        draft.stopped = [...draft.stopped, { path, step: step.name, termination: result.termination as Ending }];
      const failure = unitFailure(result, { name: step.name, path }, step.type);
      if (failure !== undefined) return { failure };
      const { output = 'null', to } = (result.output ?? {}) as unknown as Partial<UnitOutcome>;
      return { output, ...(to !== undefined && { to }) };
    }
    case 'answer':
    case 'slept':
    case 'not_started':
      return { failure: thrownFailure({ name: 'BatchStopped', message: 'never began', code: 'BATCH_STOPPED' }) };
    default:
      return assertNever('Unknown observation', observation);
  }
}

function spend(draft: Draft, outcome: Partial<UnitOutcome> | undefined): void {
  const { costUsd, tokens } = outcome ?? {};
  if (tokens === undefined) return;
  draft.spent = {
    ...draft.spent,
    costUsd: draft.spent.costUsd + (costUsd ?? 0),
    tokens: draft.spent.tokens + tokens,
    unpriced: draft.spent.unpriced || costUsd === null,
  };
}

interface MemberObservation {
  readonly node: GroupNode;
  readonly observation: Observation;
}

function applyMember(draft: Draft, program: Program, { node, observation }: MemberObservation): void {
  const group = draft.group as GroupProgress;
  const index = indexOf(draft, node, observation.key);
  const step = node.kind === 'parallel' ? node.members[index] : node.group.agent;
  if (step === undefined) throw new Error(`The group ${draft.at} has no member for ${observation.key}.`);
  const key = memberKey(node, unitKey(draft), index);
  const result = resultOf(draft, step, { observation, key });
  draft.group = withResult(group, { index, at: observation.at, ...result } as MemberResult);
  announceMember(draft, node, { index, step, result, started: observation.type !== 'not_started' });
  if (isGroupDone(draft.group)) finishGroup(draft, program);
}

interface MemberEnd {
  readonly index: number;
  readonly step: Step;
  readonly result: Done | { readonly failure: Failure };
  readonly started: boolean;
}

function announceMember(draft: Draft, node: GroupNode, { index, step, result, started }: MemberEnd): void {
  if (!started) return;
  observe(draft, {
    type: 'member_done',
    step: draft.at,
    member: memberName(node, draft.group as GroupProgress, index),
    index,
    kind: step.type,
    ...('failure' in result && { error: plain(result.failure.error) }),
  });
}

/** After a resume, failures of an earlier segment are tried again instead of counting once more. */
function finishGroup(draft: Draft, program: Program): void {
  const group = draft.group as GroupProgress;
  const isOld = (result: MemberResult): boolean => 'failure' in result && result.at < draft.resumedAt;
  if (draft.resumed > 0 && itemsOf(group.results).some(isOld)) {
    draft.group = withoutFailures(group);
    draft.entered = counted(draft.entered, draft.at);
  } else followGroup(draft, program);
}

/** The member that an effect belongs to. */
function indexOf(draft: Draft, node: GroupNode, key: string): number {
  const base = unitKey(draft);
  const unit = key.replace(/^(?:set|script|terminate):/, '');
  if (node.kind === 'parallel') {
    return node.members.findIndex((_, index) => memberKey(node, base, index) === unit);
  }
  return Number(unit.slice(base.length + 1, -1));
}

interface Terminating {
  readonly step: Extract<Step, { type: 'terminate' }>;
  readonly outcome: TerminateOutcome;
}

/** An explicit end: it counts as a step, and is stored before its output is made. */
function applyTerminate(draft: Draft, program: Program, { step, outcome }: Terminating): void {
  const { status, reason, output, problem, stage } = outcome;
  if (reason !== undefined && status !== undefined) {
    draft.outputs = stored(draft.outputs, step.name, terminateOutput(step.name, status, reason));
    draft.iterations += 1;
  }
  if (problem !== undefined || status === undefined || reason === undefined) {
    const failure = failureOf(
      problem ?? { error: { name: 'ExecutionError', message: 'no status' }, errorClass: 'internal' },
    );
    const { name: error, message } = failure.error;
    observe(draft, { type: 'terminate_failed', step: step.name, stage: stage ?? 'reason', error, message });
    endWith(draft, program, failure.termination);
    return;
  }
  observe(draft, { type: 'terminated', step: step.name, status, reason });
  const text = output ?? '{}';
  const value = valueToJson(readJsonText(text));
  endWith(draft, program, terminations.terminated({ status, reason, by: step.name, output: value }), text);
}

/** What templates see of a terminate step. */
export function terminateOutput(name: string, status: string, reason: string): string {
  return JSON.stringify({ status, reason, terminated_by: name });
}

function outcomeOf<T>(observation: Observation): T {
  if (observation.type === 'value') return (observation.value ?? {}) as unknown as T;
  if (observation.type === 'error')
    return { problem: { error: observation.error, errorClass: 'internal' } } as unknown as T;
  return {} as T;
}
