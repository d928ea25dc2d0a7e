import { listOf, oneOf, optional, properties, text } from '../check.js';
import { type Category, type Ending, isCategory } from '../ending.js';
import type { JsonObject } from '../json.js';
import { fatal, type KindRows, outcomeOfCategory } from '../kind-row.js';
import { inline, listed } from '../text/wording.js';

/** An ending of the application's own, without a kind of its own. */
export interface Custom extends Ending<'custom', Category, 'extension'> {
  readonly reason: string;
  readonly category: Category;
  /** A low-cardinality word for dashboards; used only if the run declares it. */
  readonly tag?: string;
  readonly properties?: JsonObject;
}

/** A foreign result that does not say why it ended. */
export interface Indeterminate extends Ending<'indeterminate', 'fatal', 'extension'> {
  /** The kinds that it may have been. */
  readonly candidates: readonly string[];
}

export interface ExtensionKinds {
  custom: Custom;
  indeterminate: Indeterminate;
}

export const extensionRows: KindRows<ExtensionKinds> = {
  custom: {
    family: 'extension',
    category: categoryOfCustom,
    outcome: (t) => outcomeOfCategory(categoryOfCustom(t)),
    open: (t) => categoryOfCustom(t) !== 'success',
    fields: {
      reason: text,
      category: oneOf('success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal'),
      tag: optional(text),
      properties: optional(properties),
    },
    describe: (t) => inline(t.reason) || 'Ended for an unstated reason.',
    nextAction: (t) => actionOfCategory[t.category],
  },
  indeterminate: {
    family: 'extension',
    ...fatal,
    fields: { candidates: listOf(text) },
    describe: (t) =>
      t.candidates.length === 0
        ? 'The source does not say why it ended.'
        : `The source does not say which of these ended it: ${listed(t.candidates, 10)}.`,
    nextAction: () => 'Look into the source of the result; run the call under Fullstop to know the cause next time.',
  },
};

/** One that was read from another vocabulary has no category; an operator has to look at it, as at everything unknown. */
function categoryOfCustom({ category }: Custom): Category {
  return isCategory(category) ? category : 'fatal';
}

/** The advice about an ending of which only the category is known. */
export const actionOfCategory: Readonly<Record<Category, string>> = {
  success: 'Nothing to do: use the output.',
  paused: 'Have a person decide about it, then resume.',
  cancelled: 'Nothing to do; resume the run if it should continue after all.',
  capacity: 'Raise the limit or shrink the work, then resume.',
  retryable: 'Try again later.',
  fatal: 'Have an operator look at it before it is run again.',
};
