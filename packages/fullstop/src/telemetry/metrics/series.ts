import type { Attributes } from '@opentelemetry/api';

/** The name that all names beyond the limit share. */
export const otherName = 'other';

interface SeriesOptions<TKey extends string> {
  readonly keys: readonly TKey[];
  /** The keys whose values anyone may invent, those with the most values last. */
  readonly names: readonly TKey[];
  /** The key of the word for an ending, if there is one. */
  readonly cause?: TKey;
  readonly most: number;
  /** True for words of which there is only so many; they are what dashboards ask for. */
  isCommonCause(word: string): boolean;
}

/** The attributes that distinguish series; one without a value is left out. */
type Values<TKey extends string> = Readonly<Record<TKey, string | undefined>>;

/** One series: its attributes, and the sum of what was added to it. */
interface Cell {
  readonly attributes: Attributes;
  sum: number;
}

/** Cells by the value of one key after the other: a text of all of them would be built, and read, for every single number. */
type Level = Map<string | undefined, Level | Cell>;

/**
 * The series of one instrument. There are never more than so many with names of their own; later ones share one in which
 * every invented name is `other`, so that no journal, whatever it holds, can flood a metrics store.
 */
export class Series<TKey extends string> {
  readonly #options: SeriesOptions<TKey>;
  /** The keys in the order of the tree: names come last, so that it has few and large levels. */
  readonly #path: readonly TKey[];
  readonly #tree: Level = new Map();
  readonly #cells: Cell[] = [];
  /** How many have names of their own. */
  #named = 0;

  constructor(options: SeriesOptions<TKey>) {
    this.#options = options;
    const { keys, names } = options;
    this.#path = [...keys.filter((key) => !names.includes(key)), ...names];
  }

  /** The series of these values; the same object every time. */
  of(values: Values<TKey>): Cell {
    const known = this.#find(values);
    if (known !== undefined) return known;
    if (this.#named >= this.#options.most) return this.#collapse(values);
    this.#named += 1;
    return this.#add(values);
  }

  cells(): Iterable<Cell> {
    return this.#cells;
  }

  #collapse(values: Values<TKey>): Cell {
    const { names, cause, isCommonCause } = this.#options;
    const shared: Record<TKey, string | undefined> = { ...values };
    for (const key of names) if (values[key] !== undefined) shared[key] = otherName;
    if (cause !== undefined && !isCommonCause(values[cause] ?? '')) shared[cause] = otherName;
    return this.#find(shared) ?? this.#add(shared);
  }

  #find(values: Values<TKey>): Cell | undefined {
    let found: Level | Cell | undefined = this.#tree;
    // Counted, because an iterator is made anew for every number.
    for (let depth = 0; depth < this.#path.length; depth += 1) {
      found = (found as Level).get(values[this.#path[depth] as TKey]);
      if (found === undefined) return undefined;
    }
    return found as Cell;
  }

  #add(values: Values<TKey>): Cell {
    const attributes: Attributes = {};
    for (const key of this.#options.keys) if (values[key] !== undefined) attributes[key] = values[key];
    const cell: Cell = { attributes, sum: 0 };
    this.#cells.push(cell);
    let level = this.#tree;
    for (const key of this.#path.slice(0, -1)) {
      if (!level.has(values[key])) level.set(values[key], new Map());
      level = level.get(values[key]) as Level;
    }
    level.set(values[this.#path.at(-1) as TKey], cell);
    return cell;
  }
}
