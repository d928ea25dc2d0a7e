import type { Step } from '../schema/document.js';
import { forEachGroupType } from './for-each-group.js';
import type { GroupType } from './group-type.js';
import { parallelGroupType } from './parallel-group.js';
import type { GroupUnit, Unit } from './unit.js';
import type { groupKinds } from './workflow-key.js';

const groupTypes: { readonly [U in GroupUnit as U['type'] & (typeof groupKinds)[number]]: GroupType<U> } = {
  parallel: parallelGroupType,
  for_each: forEachGroupType,
};

/** The type of a group; it is only handed groups of that type. */
export function groupTypeOf({ type }: GroupUnit): GroupType<GroupUnit> {
  return groupTypes[type] as GroupType<GroupUnit>;
}

/** The names of the steps that units run as members of groups. */
export function namedMembers(units: readonly Unit[]): ReadonlySet<string> {
  return new Set(units.flatMap((unit) => (unit.type === 'step' ? [] : groupTypeOf(unit).namedMembers(unit))));
}

/** The steps that run when a unit does. */
export function stepsIn(unit: Unit): readonly Step[] {
  return unit.type === 'step' ? [unit.step] : groupTypeOf(unit).steps(unit);
}
