import type { JsonObject } from '../../termination/json.js';
import type { Step } from '../schema/document.js';
import type { GroupUnit } from './unit.js';

/** Everything that one type of group does in its own way. */
export interface GroupType<U extends GroupUnit> {
  /** The steps that its members perform, each once. */
  steps(unit: U): readonly Step[];
  /** The names of its members that are steps of the file. */
  namedMembers(unit: U): readonly string[];
  /** The step of one member. */
  stepOf(unit: U, index: number): Step | undefined;
  /** How many members it has; undefined when that is known only in a run. */
  size(unit: U): number | undefined;
  /** How many iterations it counts at most. */
  mostIterations(unit: U): number;
  /** Its members, for whoever reads the journal without the file. */
  describe(unit: U): JsonObject;
  /** The name under which a member is reported. */
  memberName(unit: U, items: readonly ListedItem[], index: number): string;
  /** The name of the unit of a member, where `base` is that of the group. */
  memberKey(unit: U, base: string, index: number): string;
  /** The member whose effect has a key; -1 or no number when there is none. */
  memberIndex(unit: U, sought: SoughtMember): number;
  /** The item of a member, as templates see it. */
  itemOf(unit: U, items: readonly ListedItem[], index: number): MemberItem | undefined;
  /** How many members run at the same time; undefined for all. */
  concurrency(unit: U): number | undefined;
  /** Whether its outputs are listed by name instead of by place. */
  isKeyed(unit: U): boolean;
  /** Whether its output says how many members there were. */
  readonly showsCount: boolean;
  /** The key under which an entry of `errors` has the name of its member. */
  readonly errorKey: string;
  readonly words: { readonly member: string; readonly members: string; readonly group: string; readonly title: string };
  /** The text of its box in a drawing. */
  label(unit: U): string;
}

/** An item of a list that a group goes through: its key and its JSON text. */
export interface ListedItem {
  readonly key: string;
  readonly text: string;
}

export interface MemberItem extends ListedItem {
  /** Its name in templates. */
  readonly name: string;
  readonly keyed: boolean;
}

export interface SoughtMember {
  /** The name of the unit of the group. */
  readonly base: string;
  readonly key: string;
  /** The key of the effect of a step, from that of its unit. */
  effectKey(step: Step, key: string): string;
}
