import type { JsonValue } from '../../termination/json.js';
import type { Proposal } from '../facts/fact.js';
import type { ProposalRejection } from '../facts/rejection.js';
import type { CriterionVerdict } from '../options/criterion.js';
import type { InvariantViolation } from '../options/invariant.js';

/** The reason why a proposal was not promoted; `at` is its place in the merge. */
export type Exception =
  /** The same fact is there already. */
  | { readonly at: number; readonly type: 'repeated' }
  | {
      readonly at: number;
      readonly type: 'rejected';
      readonly why: Exclude<ProposalRejection['type'], 'human'>;
      readonly reason: string;
      readonly gate?: string;
      readonly fatal?: boolean;
      readonly existing?: JsonValue;
    }
  /** A person has to decide; `gate` is the place of the gate among the options. */
  | { readonly at: number; readonly type: 'gated'; readonly gate: number; readonly summary: string }
  /** A person changed the content to something that cannot be, and is asked again. */
  | { readonly at: number; readonly type: 'reopened'; readonly reason: string };

/** The one journal entry of a merge: all of a cycle is in it, or nothing. */
export interface CycleEntry {
  readonly cycle: number;
  /** The facts that the `seed` made of the input. */
  readonly seeded?: readonly Proposal[];
  /** References of the new facts, in the order of the merge. */
  readonly promoted: readonly string[];
  readonly exceptions: readonly Exception[];
  /** How many facts there are after this merge. */
  readonly facts: number;
  /** How many proposals at the end of the merge found no room in the fact budget. */
  readonly held: number;
  readonly violations: readonly InvariantViolation[];
  readonly criteria: readonly CriterionVerdict[];
  /** The suggestors that have something to do next. */
  readonly awake: readonly string[];
  /** True when nobody has anything to add and nothing is open. */
  readonly rest: boolean;
  /** The root over all facts after this merge. */
  readonly root: string;
}
