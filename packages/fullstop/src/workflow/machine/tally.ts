/** How often each name was seen. It only grows, and all states share one list of which each knows a part. */
export interface Tally {
  readonly shared: { readonly names: string[]; readonly places: Map<string, number[]> };
  readonly length: number;
}

export function emptyTally(): Tally {
  return { shared: { names: [], places: new Map() }, length: 0 };
}

/** The tally with one more of a name. */
export function addCount({ shared, length }: Tally, name: string): Tally {
  const list = shared.names.length === length ? shared : emptyTally().shared;
  if (list !== shared) for (const known of shared.names.slice(0, length)) push(list, known);
  push(list, name);
  return { shared: list, length: length + 1 };
}

/** How often a name was seen. */
export function countOf({ shared, length }: Tally, name: string): number {
  const places = shared.places.get(name);
  if (places === undefined) return 0;
  let count = places.length;
  while (count > 0 && (places[count - 1] as number) >= length) count -= 1;
  return count;
}

function push({ names, places }: Tally['shared'], name: string): void {
  const known = places.get(name);
  if (known === undefined) places.set(name, [names.length]);
  else known.push(names.length);
  names.push(name);
}
