import type { KindRows } from './kind-row.js';
import { completionRows } from './kinds/completion.js';
import { detectorRows } from './kinds/detector.js';
import { errorRows } from './kinds/error.js';
import { extensionRows } from './kinds/extension.js';
import { externalRows } from './kinds/external.js';
import { humanRows } from './kinds/human.js';
import { limitRows } from './kinds/limit.js';
import { validationRows } from './kinds/validation.js';
import type { BuiltInKind, BuiltInKinds } from './kinds.js';

/** The one table of built-in kinds; a kind without a row is a compile error. */
export const table: KindRows<BuiltInKinds> = {
  ...completionRows,
  ...limitRows,
  ...detectorRows,
  ...humanRows,
  ...validationRows,
  ...externalRows,
  ...errorRows,
  ...extensionRows,
};

const builtInKinds = Object.keys(table) as readonly BuiltInKind[];

/** Every built-in kind, in the order of the table. */
export function allKinds(): readonly BuiltInKind[] {
  return builtInKinds;
}
