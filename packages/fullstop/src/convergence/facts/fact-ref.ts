/** The grammar of references to facts: `decision/a`. Keys contain no slash. */
export interface FactRef {
  readonly key: string;
  readonly id: string;
}

export function makeFactRef(key: string, id: string): string {
  return `${key}/${id}`;
}

/** Reads a reference to a fact; undefined where it is none. */
export function parseFactRef(ref: string): FactRef | undefined {
  const slash = ref.indexOf('/');
  return slash === -1 ? undefined : { key: ref.slice(0, slash), id: ref.slice(slash + 1) };
}
