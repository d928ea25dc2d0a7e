import { Tuple, type Value } from '../value.js';

/** A group of `groupby`: a pair whose parts also have names. */
export class GroupValue extends Tuple {
  readonly grouper: Value;
  readonly list: Value[];

  constructor(grouper: Value, list: Value[]) {
    super([grouper, list]);
    this.grouper = grouper;
    this.list = list;
  }

  /** The named part, if it is one. */
  part(name: string): Value | undefined {
    if (name === 'grouper') return this.grouper;
    return name === 'list' ? this.list : undefined;
  }
}
