import type { Category } from '../../../termination/ending.js';
import type { RunFilter } from '../../port/engine.js';

/** Which runs are counted: those of a filter, or only the newest of them. */
export interface TallyOptions extends Omit<RunFilter, 'cursor' | 'limit'> {
  /** Only so many of the newest. */
  readonly last?: number;
  /** Into how many equal parts the time is divided; 16 unless given. */
  readonly intervals?: number;
}

/** All runs that ended in one way: of one kind and category. */
export interface KindTally {
  readonly kind: string;
  readonly category: Category;
  readonly count: number;
  readonly costUsd: number;
  /** How many have a price that is not known. */
  readonly unpriced: number;
  /** How many have usage that was guessed, because a provider did not report it. */
  readonly estimated: number;
  readonly tokens: number;
  readonly durationMs: number;
  /** Runs per interval of their start, oldest first. */
  readonly over: readonly number[];
}

/** All runs of one name. */
export interface NameTally {
  readonly name: string;
  readonly count: number;
  /** How many of them have no ending yet. */
  readonly unfinished: number;
  /** How many ended in each category. */
  readonly categories: Readonly<Partial<Record<Category, number>>>;
}

/** How runs ended and what that cost. */
export interface RunTally {
  readonly runs: number;
  /** Runs without an ending yet. */
  readonly unfinished: number;
  /** When the first and the last of them started; 0 without runs. */
  readonly from: number;
  readonly to: number;
  /** The most frequent first. */
  readonly kinds: readonly KindTally[];
  /** The most frequent first; at most 50. */
  readonly names: readonly NameTally[];
}
