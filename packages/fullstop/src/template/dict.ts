import type { Value } from './value.js';

/** The form under which a key is stored: equal keys of different types (`1`, `1.0`, `True`) have the same one. */
export type DictKey = string | number | bigint | null;

/** An insertion-ordered mapping with Python's key equality. */
export class Dict {
  readonly #values = new Map<DictKey, Value>();
  /** The keys as they were written, only where they differ from their stored form. */
  #originals: Map<DictKey, Value> | undefined;

  get size(): number {
    return this.#values.size;
  }

  /** Reads by a text key, the usual case of data. */
  getText(key: string): Value | undefined {
    return this.#values.get(textKey(key));
  }

  /** Adds by a text key, the usual case of data. */
  setText(key: string, value: Value): this {
    this.#values.set(textKey(key), value);
    return this;
  }

  get(key: DictKey): Value | undefined {
    return this.#values.get(key);
  }

  has(key: DictKey): boolean {
    return this.#values.has(key);
  }

  /** Sets a value; a key that is there already keeps its first spelling. */
  set(key: DictKey, original: Value, value: Value): void {
    if (!this.#values.has(key) && original !== key) {
      this.#originals ??= new Map();
      this.#originals.set(key, original);
    }
    this.#values.set(key, value);
  }

  remove(key: DictKey): void {
    this.#values.delete(key);
    this.#originals?.delete(key);
  }

  clear(): void {
    this.#values.clear();
    this.#originals = undefined;
  }

  *keys(): IterableIterator<Value> {
    for (const key of this.#values.keys()) yield this.#original(key);
  }

  values(): IterableIterator<Value> {
    return this.#values.values();
  }

  *entries(): IterableIterator<[key: Value, value: Value]> {
    for (const [key, value] of this.#values) yield [this.#original(key), value];
  }

  /** The entries by their stored keys. */
  stored(): IterableIterator<[key: DictKey, value: Value]> {
    return this.#values.entries();
  }

  copy(): Dict {
    const copy = new Dict();
    for (const [key, value] of this.#values) copy.set(key, this.#original(key), value);
    return copy;
  }

  /** Takes over the entries of another dict. */
  replaceBy(other: Dict): void {
    this.clear();
    for (const [key, value] of other.#values) this.set(key, other.#original(key), value);
  }

  #original(key: DictKey): Value {
    const original = this.#originals?.get(key);
    if (original !== undefined) return original;
    return typeof key === 'string' && key.charCodeAt(0) === 0 ? key.slice(1) : key;
  }
}

/** Stored keys that begin with a zero character are other values than text, so such a text gets one more. */
export function textKey(key: string): DictKey {
  return key.charCodeAt(0) === 0 ? `\u0000${key}` : key;
}
