import type { Category } from '../../../termination/ending.js';
import { addUsd, fromNanoUsd } from '../../port/money.js';
import type { KindTally, NameTally } from './run-tally.js';

/** Into how many parts a tally divides the time unless told. */
export const usualIntervals = 16;

/** The runs of one kind and category that started in one part of the time. */
export interface TallyPart {
  readonly kind: string;
  readonly category: Category;
  readonly part: number;
  readonly count: number;
  /** The costs in billionths of a dollar. */
  readonly nanos: number;
  readonly unpriced: number;
  readonly estimated: number;
  readonly tokens: number;
  readonly duration: number;
}

/** The parts of each kind and category put together, the most frequent first. */
export function kindsOf(parts: readonly TallyPart[], intervals: number): readonly KindTally[] {
  const kinds = new Map<string, KindTally>();
  for (const { kind, category, part, count, nanos, unpriced, estimated, tokens, duration } of parts) {
    // An explicit end may be a success or a failure.
    const key = `${kind}\n${category}`;
    const before = kinds.get(key);
    const over = before?.over ?? Array.from({ length: intervals }, () => 0);
    kinds.set(key, {
      kind,
      category,
      count: (before?.count ?? 0) + count,
      costUsd: addUsd(before?.costUsd ?? 0, fromNanoUsd(nanos)),
      unpriced: (before?.unpriced ?? 0) + unpriced,
      estimated: (before?.estimated ?? 0) + estimated,
      tokens: (before?.tokens ?? 0) + tokens,
      durationMs: (before?.durationMs ?? 0) + duration,
      over: over.map((sum, index) => (index === part ? sum + count : sum)),
    });
  }
  return [...kinds.values()].sort((left, right) => right.count - left.count);
}

const mostNames = 50;

/** The runs of one name and category; those without a category have no ending yet. */
export interface NamePart {
  readonly name: string;
  readonly category: Category | null;
  readonly count: number;
}

/** The names with the most runs. */
export function namesOf(parts: readonly NamePart[]): readonly NameTally[] {
  const names = new Map<string, NameTally>();
  for (const { name, category, count } of parts) {
    const before = names.get(name) ?? { name, count: 0, unfinished: 0, categories: {} };
    names.set(name, {
      name,
      count: before.count + count,
      unfinished: before.unfinished + (category === null ? count : 0),
      categories: category === null ? before.categories : { ...before.categories, [category]: count },
    });
  }
  return [...names.values()].sort((left, right) => right.count - left.count).slice(0, mostNames);
}
