import type { Fields, RecordOf } from '../field.js';
import type { PartRecords } from '../record-types.js';
import type { RuleSpot } from '../rule-spot.js';
import type { sharedFields } from './shared-fields.js';

/** The keys of a step type. A key in none of the lists is refused; `ignored` ones are accepted and do nothing. */
export interface StepKeys {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly ignored: readonly string[];
}

/** The form of a step of one type in a workflow file: its keys, their values and the rules between them. */
export interface StepShape<S extends { readonly type: string }> {
  readonly type: S['type'];
  /** One sentence for the documentation and for editors. */
  readonly description: string;
  readonly keys: StepKeys;
  /** The keys that this type brings along, besides the shared ones. */
  readonly fields: Fields;
  /** Empty keys of other types: those that are refused all the same, and those that are accepted beyond the usual. */
  readonly whenEmpty?: { readonly refused: readonly string[]; readonly accepted: readonly string[] };
  /** The names that its texts see in explicit context mode: all, the inputs and those it declares, or only the latter. */
  readonly sees: 'everything' | 'inputs' | 'declared';
  /** True for a step that ends the workflow, which no group can contain. */
  readonly endsWorkflow: boolean;
  /** Checks a step whose fields are right one by one. */
  check(spot: RuleSpot<S>): void;
}

/** The type of a step with these keys, where `F` are the fields that its type brings along. */
export type StepRecord<K extends StepKeys, F = object> = RecordOf<
  Pick<typeof sharedFields & F, (K['required'][number] | K['optional'][number]) & keyof (typeof sharedFields & F)>,
  PartRecords,
  K['required'][number] &
    keyof Pick<
      typeof sharedFields & F,
      (K['required'][number] | K['optional'][number]) & keyof (typeof sharedFields & F)
    >
>;
