import { itemsOf } from '../../run/log.js';
import type { MachineObservation, MachinePast } from '../../run/machine/machine.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { groupTypeOf } from '../graph/group-types.js';
import type { GroupUnit } from '../graph/unit.js';
import type { Step } from '../schema/document.js';
import { followGroup } from './advance.js';
import { effectKey, unitKey } from './effects.js';
import { observe, plain } from './fail.js';
import { isGroupDone, wasStopped, withoutFailures, withoutOldFailures, withResult } from './groups.js';
import type { Program } from './program.js';
import type { Draft, Failure, GroupProgress, MemberResult } from './state.js';
import { resultOf, type StepResult } from './step-result.js';
import { addCount } from './tally.js';

/** The outcome of a step, and what the journal says of the time after it. */
export interface SteppedOn {
  readonly observation: MachineObservation;
  readonly ahead: JournalAhead | undefined;
}

/** The journal beyond the point that the machine has reached. */
export interface JournalAhead {
  readonly past: MachinePast;
  /** How many observations were handed out before: those after them take the next places of the journal. */
  readonly handedOut: number;
}

/** Takes in what came of the step at hand, or of a member of the group at hand. */
export function applyStep(draft: Draft, program: Program, { observation, ahead }: SteppedOn): void {
  const node = program.nodes.get(draft.at);
  if (node === undefined) return;
  if (node.type !== 'step') {
    applyMember(draft, program, { node, observation, ahead });
    return;
  }
  const { step } = node;
  program.steps.of(step).machine.apply(draft, program, { step, observation });
}

interface MemberObservation extends SteppedOn {
  readonly node: GroupUnit;
}

function applyMember(draft: Draft, program: Program, { node, observation, ahead }: MemberObservation): void {
  const group = draft.group as GroupProgress;
  const type = groupTypeOf(node);
  const base = unitKey(draft);
  const index = type.memberIndex(node, {
    base,
    key: observation.key,
    effectKey: (member, key) => effectKey(program, member, key),
  });
  const step = type.stepOf(node, index);
  if (step === undefined)
    throw new FullstopError('INTERNAL_DEFECT', `The group ${draft.at} has no member for ${observation.key}.`);
  const key = type.memberKey(node, base, index);
  const result = resultOf(draft, program, { step, observation, key });
  draft.group = withResult(group, { index, at: observation.at, ...result } as MemberResult);
  announceMember(draft, node, { index, step, result, started: observation.type !== 'not_started' });
  if (isGroupDone(draft.group)) finishGroup(draft, program, ahead);
}

interface MemberEnd {
  readonly index: number;
  readonly step: Step;
  readonly result: StepResult | { readonly failure: Failure };
  readonly started: boolean;
}

function announceMember(draft: Draft, node: GroupUnit, { index, step, result, started }: MemberEnd): void {
  if (!started) return;
  observe(draft, {
    type: 'member_done',
    step: draft.at,
    member: groupTypeOf(node).memberName(node, (draft.group as GroupProgress).items, index),
    index,
    kind: step.type,
    ...('failure' in result && { error: plain(result.failure.error) }),
  });
}

/** After a resume, failures of an earlier segment are tried again instead of counting once more; those since then stand. */
function finishGroup(draft: Draft, program: Program, ahead: JournalAhead | undefined): void {
  const group = draft.group as GroupProgress;
  const isOld = (result: MemberResult): boolean => 'failure' in result && result.at < draft.resumedAt;
  if (draft.resumed === 0 || !itemsOf(group.results).some(isOld)) {
    followGroup(draft, program);
    return;
  }
  draft.entered = addCount(draft.entered, draft.at);
  const all = withoutFailures(group);
  // A member that never came to work because an old failure stopped it has not failed since.
  const some = withoutOldFailures(
    group,
    (result) => isOld(result) || ('failure' in result && wasStopped(result.failure)),
  );
  draft.group = ahead !== undefined && triedAll(draft, program, { all, some, ahead }) ? all : some;
}

interface Continuations {
  /** The group without any failure, and without those from before the resume. */
  readonly all: GroupProgress;
  readonly some: GroupProgress;
  readonly ahead: JournalAhead;
}

/** True where the journal continues with all members that had failed, as runs did once: what was decided in the past stands. */
function triedAll(draft: Draft, program: Program, { all, some, ahead }: Continuations): boolean {
  const { past, handedOut } = ahead;
  if (all.todo.length === some.todo.length || past.isOver()) return false;
  const node = program.nodes.get(draft.at) as GroupUnit;
  const type = groupTypeOf(node);
  const base = unitKey(draft);
  const placeOf = (index: number): number | undefined => {
    const step = type.stepOf(node, index);
    return step && past.placeOf(effectKey(program, step, type.memberKey(node, base, index)));
  };
  // The members follow the observations of this turn; a batch that can be stopped has one place before them.
  const first = draft.observations.length - handedOut + (node.group.failure_mode === 'fail_fast' ? 1 : 0);
  return all.todo.some((index) => {
    const place = placeOf(index);
    return place !== undefined && place !== first + some.todo.indexOf(index);
  });
}
