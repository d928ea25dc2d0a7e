import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import type { Step } from '../document.js';
import type { Field, Fields } from '../field.js';
import { sharedFields } from './shared-fields.js';
import type { StepShape } from './step-shape.js';

/** The least that is known of a step type: what a file may say in such a step. */
export interface ShapeRow {
  readonly shape: StepShape<Step>;
}

/** The types of step of a workflow. Whoever depends on the type of a step asks its row and knows no type by name. */
export interface StepTable<Row> {
  readonly names: readonly string[];
  readonly rows: readonly Row[];
  /** Every key that some step may have. */
  readonly fields: Fields;
  find(type: string): Row | undefined;
  of(step: { readonly type: string }): Row;
}

/** Makes the table of some types; the order is that of messages and of the documentation. */
export function makeStepTable<Row extends ShapeRow>(rows: readonly Row[]): StepTable<Row> {
  const byType = new Map<string, Row>(rows.map((row) => [row.shape.type, row]));
  return {
    names: [...byType.keys()],
    rows,
    fields: Object.assign({}, sharedFields, ...rows.map(({ shape }) => shape.fields)) as Fields,
    find: (type) => byType.get(type),
    of({ type }) {
      const row = byType.get(type);
      if (row === undefined) throw new FullstopError('INVALID_WORKFLOW', `There is no step type ${type}.`);
      return row;
    },
  };
}

/** The field of a key in a step of this type; undefined for a key of other types. */
export function fieldOf({ fields }: StepShape<Step>, key: string): Field | undefined {
  return fields[key] ?? (sharedFields as Fields)[key];
}
