import type { JournalEntry } from 'fullstop/journal';
import { type UnitNode, UnitTree } from '../../journal/unit-tree.js';
import { NodeNames } from './node-names.js';
import { type Transition, TransitionFollower } from './transitions.js';

/** A journal as units and transitions. It grows with its journal, so that the page of a long run that continues costs what is new. */
export class JournalProjection {
  readonly names = new NodeNames();
  readonly #tree = new UnitTree();
  readonly #follower = new TransitionFollower(this.names);
  readonly #transitions: Transition[] = [];
  #journal: readonly JournalEntry[] = [];
  #taken = 0;
  #root: UnitNode;

  constructor(journal: readonly JournalEntry[]) {
    this.#root = this.#tree.grow([]);
    this.grow(journal);
  }

  get root(): UnitNode {
    return this.#root;
  }

  /** Everything that changed a node, in order. */
  get transitions(): readonly Transition[] {
    return this.#transitions;
  }

  /** Takes in what is new in a journal that begins with the one before. */
  grow(journal: readonly JournalEntry[]): UnitNode {
    if (journal === this.#journal) return this.#root;
    this.takeIn(journal);
    this.#journal = journal;
    this.#root = this.#tree.grow(journal);
    return this.#root;
  }

  /** The same for a journal that is not read to its end yet: times and the root are known when it has grown. */
  takeIn(journal: readonly JournalEntry[]): void {
    // Entry by entry, because the data of each is at hand only while nobody asks for that of another.
    for (; this.#taken < journal.length; this.#taken += 1) {
      this.#follow(journal[this.#taken] as JournalEntry);
      this.#tree.takeUntil(journal, this.#taken + 1);
    }
  }

  #follow(entry: JournalEntry): void {
    const { seq, at } = entry;
    for (const change of this.#follower.changes(entry)) this.#transitions.push({ seq, at, ...change });
  }
}

/** The transitions after an entry. */
export function transitionsAfter(transitions: readonly Transition[], after: number): readonly Transition[] {
  if (after === 0) return transitions;
  const last = transitions.findLastIndex(({ seq }) => seq <= after);
  return transitions.slice(last + 1);
}
