import { itemsOf } from '../../run/log.js';
import type { MachineObservation } from '../../run/machine/machine.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { groupTypeOf } from '../graph/group-types.js';
import type { GroupUnit } from '../graph/unit.js';
import type { Step } from '../schema/document.js';
import { followGroup } from './advance.js';
import { effectKey, unitKey } from './effects.js';
import { observe, plain } from './fail.js';
import { isGroupDone, withoutFailures, withResult } from './groups.js';
import type { Program } from './program.js';
import type { Draft, Failure, GroupProgress, MemberResult } from './state.js';
import { resultOf, type StepResult } from './step-result.js';
import { addCount } from './tally.js';

/** Takes in what came of the step at hand, or of a member of the group at hand. */
export function applyStep(draft: Draft, program: Program, observation: MachineObservation): void {
  const node = program.nodes.get(draft.at);
  if (node === undefined) return;
  if (node.type !== 'step') {
    applyMember(draft, program, { node, observation });
    return;
  }
  const { step } = node;
  program.steps.of(step).machine.apply(draft, program, { step, observation });
}

interface MemberObservation {
  readonly node: GroupUnit;
  readonly observation: MachineObservation;
}

function applyMember(draft: Draft, program: Program, { node, observation }: MemberObservation): void {
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
  if (isGroupDone(draft.group)) finishGroup(draft, program);
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

/** After a resume, failures of an earlier segment are tried again instead of counting once more. */
function finishGroup(draft: Draft, program: Program): void {
  const group = draft.group as GroupProgress;
  const isOld = (result: MemberResult): boolean => 'failure' in result && result.at < draft.resumedAt;
  if (draft.resumed > 0 && itemsOf(group.results).some(isOld)) {
    draft.group = withoutFailures(group);
    draft.entered = addCount(draft.entered, draft.at);
  } else followGroup(draft, program);
}
