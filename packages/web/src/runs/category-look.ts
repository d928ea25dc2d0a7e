import type { EndingGroup, Look } from '../api/contract.js';

export type Category = EndingGroup['category'];

/** The categories in the order of charts and legends, with what they mean for whoever looks. */
export const categories: readonly {
  readonly category: Category;
  readonly tone: Look['tone'];
  readonly means: string;
}[] = [
  { category: 'success', tone: 'success', means: 'done' },
  { category: 'paused', tone: 'waiting', means: 'wait for someone' },
  { category: 'capacity', tone: 'stopped', means: 'stopped at a limit' },
  { category: 'retryable', tone: 'failed', means: 'failed, worth another try' },
  { category: 'fatal', tone: 'failed', means: 'failed' },
  { category: 'cancelled', tone: 'cancelled', means: 'cancelled' },
];

/** The tone of a category. */
export function toneOf(category: Category): Look['tone'] {
  return categories.find((each) => each.category === category)?.tone ?? 'unknown';
}
