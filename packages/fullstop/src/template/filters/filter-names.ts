import { lazyFilterNames } from './lazy-filters.js';
import { numberFilters } from './number-filters.js';
import { outputFilters } from './output-filters.js';
import { sequenceFilters } from './sequence-filters.js';
import { textFilters } from './text-filters.js';

/** The names of all filters, for the test `filter`. */
export const filterNames: ReadonlySet<string> = new Set([
  ...[...numberFilters, ...outputFilters, ...sequenceFilters, ...textFilters].map(([name]) => name),
  ...lazyFilterNames,
]);
