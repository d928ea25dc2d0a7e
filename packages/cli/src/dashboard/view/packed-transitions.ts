import type { Transition } from './transitions.js';

/**
 * Transitions as columns of numbers: a run of 100,000 entries has nearly as many, and most of what each says was said before. Words are places in `words`,
 * numbers are the distance from the one before.
 */
export interface PackedTransitions {
  readonly words: readonly string[];
  readonly seq: readonly number[];
  readonly at: readonly number[];
  readonly path: readonly number[];
  readonly to: readonly number[];
  /** -1 where there is none. */
  readonly kind: readonly number[];
  readonly category: readonly number[];
}

export function packTransitions(transitions: readonly Transition[]): PackedTransitions {
  const places = new Map<string, number>();
  const placeOf = (word: string | undefined): number => {
    if (word === undefined) return -1;
    const known = places.get(word);
    if (known !== undefined) return known;
    places.set(word, places.size);
    return places.size - 1;
  };
  const packed = {
    seq: [] as number[],
    at: [] as number[],
    path: [] as number[],
    to: [] as number[],
    kind: [] as number[],
    category: [] as number[],
  };
  let [seqBefore, atBefore] = [0, 0];
  for (const { seq, at, path, to, kind, category } of transitions) {
    packed.seq.push(seq - seqBefore);
    packed.at.push(at - atBefore);
    packed.path.push(placeOf(path));
    packed.to.push(placeOf(to));
    packed.kind.push(placeOf(kind));
    packed.category.push(placeOf(category));
    [seqBefore, atBefore] = [seq, at];
  }
  return { words: [...places.keys()], ...packed };
}

export function unpackTransitions(packed: PackedTransitions): readonly Transition[] {
  const { words } = packed;
  const wordAt = (column: readonly number[], index: number): string | undefined => words[column[index] ?? -1];
  let [seq, at] = [0, 0];
  return packed.seq.map((distance, index) => {
    seq += distance;
    at += packed.at[index] ?? 0;
    const path = wordAt(packed.path, index) ?? '';
    // Set one by one: spreading what may be absent takes ten times as long, and there are 100,000 of them.
    const transition: Unpacked = { seq, at, path, to: wordAt(packed.to, index) as Transition['to'] };
    const kind = wordAt(packed.kind, index);
    const category = wordAt(packed.category, index);
    if (kind !== undefined) transition.kind = kind;
    if (category !== undefined) transition.category = category as NonNullable<Transition['category']>;
    return transition;
  });
}

type Unpacked = { -readonly [TName in keyof Transition]: Transition[TName] };
