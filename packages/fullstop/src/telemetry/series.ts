import type { Attributes } from '@opentelemetry/api';

/** What stands for names beyond the limit. */
const otherName = 'other';

interface SeriesOptions<TKey extends string> {
  readonly keys: readonly TKey[];
  /** The keys whose values anyone may invent. */
  readonly names: readonly TKey[];
  /** The key of the word for an ending, if there is one. */
  readonly cause?: TKey;
  readonly most: number;
  /** True for words of which there is only so many; they are what dashboards ask for. */
  isCommonCause(word: string): boolean;
}

/** What tells series apart; an attribute without a value is left out. */
type Values<TKey extends string> = Readonly<Record<TKey, string | undefined>>;

/** One series: its attributes, and the sum of what was added to it. */
interface Cell {
  readonly attributes: Attributes;
  sum: number;
}

/**
 * The series of one instrument. There are never more than so many with names of their own; later ones share one in which
 * every invented name is `other`, so that no journal, whatever it holds, can flood a metrics store.
 */
export class Series<TKey extends string> {
  readonly #options: SeriesOptions<TKey>;
  readonly #known = new Map<string, Cell>();
  readonly #collapsed = new Map<string, Cell>();

  constructor(options: SeriesOptions<TKey>) {
    this.#options = options;
  }

  /** The series of these values; the same object every time. */
  of(values: Values<TKey>): Cell {
    const id = this.#idOf(values);
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    if (this.#known.size >= this.#options.most) return this.#collapse(values);
    const cell = { attributes: this.#pick(values), sum: 0 };
    this.#known.set(id, cell);
    return cell;
  }

  *cells(): Iterable<Cell> {
    yield* this.#known.values();
    yield* this.#collapsed.values();
  }

  #collapse(values: Values<TKey>): Cell {
    const { names, cause, isCommonCause } = this.#options;
    const attributes = this.#pick(values);
    for (const key of names) if (attributes[key] !== undefined) attributes[key] = otherName;
    if (cause !== undefined && !isCommonCause(values[cause] ?? '')) attributes[cause] = otherName;
    const id = this.#idOf(attributes);
    const known = this.#collapsed.get(id);
    if (known !== undefined) return known;
    const cell = { attributes, sum: 0 };
    this.#collapsed.set(id, cell);
    return cell;
  }

  #idOf(values: Values<TKey>): string {
    let id = '';
    for (const key of this.#options.keys) id += `${values[key]}\u0000`;
    return id;
  }

  #pick(values: Values<TKey>): Record<TKey, string | undefined> {
    const attributes: Partial<Record<TKey, string | undefined>> = {};
    for (const key of this.#options.keys) if (values[key] !== undefined) attributes[key] = values[key];
    return attributes as Record<TKey, string | undefined>;
  }
}
