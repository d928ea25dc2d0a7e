import type { AdapterColumn } from '../../scripts/adapters-document.js';
import { cellsOf, situationIds } from '../../tests/adapters/situation.js';

/** How well the words of a framework tell endings apart, over the situations of the adapters' suite that can happen in it; every way into one counts. */
export interface EndingScore {
  readonly framework: string;
  readonly situations: number;
  /** Kinds of endings that these situations have. */
  readonly kinds: number;
  /** Different things that the framework says in them. */
  readonly words: number;
  /** Situations in which it says what it also says for another kind of ending. */
  readonly ambiguous: number;
}

/** Reads the tables that the tests of the adapters check against the frameworks themselves. */
export function scoreEndings({ title, table }: AdapterColumn): EndingScore {
  const kindsByWords = new Map<string, Set<string>>();
  const lived: { readonly says: string; readonly kind: string }[] = [];
  for (const id of situationIds) {
    for (const { says, ending, cannot } of cellsOf(table, id)) {
      if (cannot !== undefined) continue;
      lived.push({ says, kind: ending.kind });
      kindsByWords.set(says, (kindsByWords.get(says) ?? new Set()).add(ending.kind));
    }
  }
  return {
    framework: title,
    situations: lived.length,
    kinds: new Set(lived.map(({ kind }) => kind)).size,
    words: kindsByWords.size,
    ambiguous: lived.filter(({ says }) => (kindsByWords.get(says)?.size ?? 0) > 1).length,
  };
}
