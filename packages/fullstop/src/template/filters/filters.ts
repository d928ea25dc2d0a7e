import { tests } from '../library/tests.js';
import type { Filter } from './filter.js';
import { lazyFilters } from './lazy-filters.js';
import { numberFilters } from './number-filters.js';
import { outputFilters } from './output-filters.js';
import { sequenceFilters } from './sequence-filters.js';
import { textFilters } from './text-filters.js';

const table = new Map<string, Filter>([...numberFilters, ...outputFilters, ...sequenceFilters, ...textFilters]);
for (const [name, filter] of lazyFilters({ filter: (name) => table.get(name), test: (name) => tests.get(name) })) {
  table.set(name, filter);
}

/** Every filter by name. */
export const filters: ReadonlyMap<string, Filter> = table;
