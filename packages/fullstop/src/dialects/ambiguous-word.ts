import type { BuiltInKind } from '../termination/kinds.js';
import type { ForeignWord } from './dialect.js';
import { word } from './word.js';

/** A word that can mean several kinds: it is written back only for just these. */
export function ambiguousWord(name: string, candidates: readonly BuiltInKind[], note: string): ForeignWord {
  return word(name, 'indeterminate', {
    implied: { candidates },
    fits: (t) => JSON.stringify(t.candidates) === JSON.stringify(candidates),
    note,
  });
}
