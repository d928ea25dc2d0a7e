import fc from 'fast-check';

export type Json = Record<string, unknown>;

/** Places inside a value, as lists of names; its containers are places too. */
function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => placesIn(member, [...path, name]))];
}

function changeAt(value: unknown, [name, ...rest]: readonly string[], change: (member: unknown) => unknown): unknown {
  if (name === undefined) return change(value);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as Json) }) as Json;
  const changed = changeAt(copy[name], rest, change);
  if (changed === undefined) delete copy[name];
  else copy[name] = changed;
  return copy;
}

const values: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  0.5,
  1e300,
  '',
  'x',
  'a\u0000b',
  '\ud800',
  [],
  [null],
  {},
  { kind: 'x' },
  { __proto__: null, toString: 1 },
];

/** A change that nobody of ours would make to a journal. */
export type Mutation = (entries: readonly unknown[]) => readonly unknown[];

/** Values of another type, fields that nobody knows, and lines that are missing, doubled or swapped. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...values)).map(
    ([line, place, value]): Mutation =>
      (entries) => {
        const index = line % entries.length;
        const places = placesIn(entries[index]);
        return entries.with(
          index,
          changeAt(entries[index], places[place % places.length] ?? [], () => value),
        );
      },
  ),
  fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('more', '__proto__', 'hash')).map(
    ([line, place, name]): Mutation =>
      (entries) => {
        const index = line % entries.length;
        const containers = placesIn(entries[index]).filter((path) =>
          placesIn(entries[index]).some((each) => each.length > path.length),
        );
        const path = containers[place % containers.length] ?? [];
        const add = (member: unknown): unknown =>
          typeof member === 'object' && member !== null
            ? Object.defineProperty({ ...member }, name, { value: 1, enumerable: true })
            : member;
        return entries.with(index, changeAt(entries[index], path, add));
      },
  ),
  fc.nat().map(
    (line): Mutation =>
      (entries) =>
        entries.toSpliced(line % entries.length, 1),
  ),
  fc.nat().map(
    (line): Mutation =>
      (entries) =>
        entries.toSpliced(line % entries.length, 0, entries[line % entries.length]),
  ),
  fc.tuple(fc.nat(), fc.nat()).map(
    ([one, other]): Mutation =>
      (entries) => {
        const [left, right] = [one % entries.length, other % entries.length];
        return entries.with(left, entries[right]).with(right, entries[left]);
      },
  ),
);
