import { type AnyCheck, type AnyChecks, at, json, type Knife, listOf, optional, type Place, text } from '../check.js';
import type { Ending } from '../ending.js';
import { isObject } from '../json.js';
import type { BuiltInKind } from '../kinds.js';
import { rootCause } from '../root-cause.js';
import { table } from '../table.js';
import { cutText, grouped } from '../text/wording.js';
import { measure, type SizeLimits, shortPath } from './measure.js';

/** How much of texts, lists and nesting is kept. */
interface Allowance {
  readonly characters: number;
  readonly members: number;
  readonly depth: number;
}

/** Each is tried until the value fits: only what is very long is cut, then everything to a readable size, then to its bones. */
const allowances: readonly Allowance[] = [
  { characters: 65_536, members: 10_000, depth: 1_000 },
  { characters: 2_048, members: 100, depth: 20 },
  { characters: 64, members: 4, depth: 4 },
];

const mostNotes = 20;

/**
 * Cuts a termination down to the limits, gently first, and notes in `cut` what is missing. What was valid stays valid;
 * undefined when the limits leave no room for that. Recurses no deeper than the limit.
 */
export function fit(termination: Ending, limits: SizeLimits): Ending | undefined {
  const earlier = Array.isArray(termination.cut) ? termination.cut.map((note) => cutText(String(note), 200)) : [];
  for (const { characters, members, depth } of allowances) {
    const cutter = new Cutter({ characters, members, depth: Math.min(depth, limits.depth) }, limits.bytes);
    const value = cutter.termination(termination, { path: '', depth: 1 }) as Ending;
    if (cutter.exhausted) continue;
    const fitted = { ...value, cut: [...earlier, ...cutter.notes].slice(0, mostNotes) };
    if (measure(fitted, limits) === undefined) return fitted;
  }
  return undefined;
}

class Cutter implements Knife {
  readonly notes: string[] = [];
  exhausted = false;
  readonly #allowance: Allowance;
  #bytesLeft: number;

  constructor(allowance: Allowance, bytes: number) {
    this.#allowance = allowance;
    this.#bytesLeft = bytes;
  }

  text(value: unknown, place: Place): unknown {
    if (typeof value !== 'string') return this.json(value, place);
    const kept = cutText(value, this.#allowance.characters);
    if (kept !== value) this.#note(place.path, `cut from ${grouped(value.length)} characters`);
    return this.#spend(kept.length + 2, kept);
  }

  json(value: unknown, place: Place): unknown {
    if (typeof value === 'string') return this.text(value, place);
    if (typeof value !== 'object' || value === null) return this.#spend(1, value);
    if (place.depth > this.#allowance.depth) {
      this.#note(place.path, `nested deeper than ${this.#allowance.depth} levels`);
      return this.#spend(25, '[cut: nested too deep]');
    }
    return Array.isArray(value) ? this.#elements(value, place) : this.#properties(value, place);
  }

  list(value: unknown, place: Place, element: AnyCheck): unknown {
    return Array.isArray(value) ? this.#elements(value, place, element) : this.json(value, place);
  }

  shape(value: unknown, place: Place, fields: AnyChecks): unknown {
    return isObject(value) ? this.#properties(value, place, fields) : this.json(value, place);
  }

  termination(value: unknown, place: Place): unknown {
    if (!isObject(value)) return this.json(value, place);
    const { kind } = value;
    const isInner = place.depth > 1;
    if (isInner && kind === 'child_failed' && !this.#hasRoomBelow(place)) return this.#rootOf(value, place);
    const isBuiltIn = typeof kind === 'string' && Object.hasOwn(table, kind);
    const fields: object = isBuiltIn ? table[kind as BuiltInKind].fields : thirdPartyFields(value);
    return this.#properties(value, place, { ...(fields as AnyChecks), ...ownFields });
  }

  /** A chain of children ends with some levels to spare for the evidence of its root cause. */
  #hasRoomBelow({ depth }: Place): boolean {
    const limit = this.#allowance.depth;
    return depth + 3 + Math.floor(limit / 10) <= limit;
  }

  /** Instead of a child's ending that is too deep stands its root cause, so that its category survives. */
  #rootOf(value: object, place: Place): unknown {
    this.#note(place.path, 'the endings between this one and its root cause');
    const cause = rootCause(value as Ending);
    const isCircle = cause.kind === 'child_failed';
    return this.termination(isCircle ? { kind: 'indeterminate', candidates: [] } : cause, place);
  }

  #elements(list: readonly unknown[], place: Place, element?: AnyCheck): readonly unknown[] {
    const kept = list.slice(0, Math.min(list.length, this.#allowance.members));
    if (kept.length < list.length) this.#note(place.path, `cut from ${grouped(list.length)} elements`);
    const copy: unknown[] = [];
    for (const [index, member] of kept.entries()) {
      if (this.#spend(1, this.exhausted)) break;
      copy.push(this.#member(member, inside(place, index), element));
    }
    return copy;
  }

  #properties(source: object, place: Place, fields: AnyChecks = {}): object {
    const keys = Object.keys(source);
    const kept = this.#keptKeys(keys, fields);
    if (kept.length < keys.length) this.#note(place.path, `cut from ${grouped(keys.length)} properties`);
    const copy = {};
    for (const key of kept) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      const name = check === undefined ? this.#name(key, place) : key;
      if (this.#spend(name.length + 4, this.exhausted)) break;
      const inner = inside(place, key);
      const value = (source as Readonly<Record<string, unknown>>)[key];
      if (check?.optional && place.depth + check.levels > this.#allowance.depth)
        this.#note(inner.path, `nested deeper than ${this.#allowance.depth} levels`);
      else define(copy, name, this.#member(value, inner, check));
    }
    return copy;
  }

  /** All declared fields, and only so many others. */
  #keptKeys(keys: readonly string[], fields: AnyChecks): readonly string[] {
    let room = this.#allowance.members;
    return keys.filter((key) => {
      if (Object.hasOwn(fields, key)) return true;
      room -= 1;
      return room >= 0;
    });
  }

  #name(key: string, place: Place): string {
    const kept = cutText(key, this.#allowance.characters);
    if (kept !== key) this.#note(place.path, `a name cut from ${grouped(key.length)} characters`);
    return kept;
  }

  #member(value: unknown, place: Place, check: AnyCheck | undefined): unknown {
    return check === undefined ? this.json(value, place) : check.cut(value, place, this);
  }

  #spend<T>(bytes: number, value: T): T {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) this.exhausted = true;
    return value;
  }

  #note(path: string, what: string): void {
    if (this.notes.length < mostNotes) this.notes.push(`${shortPath(path)}: ${what}`);
  }
}

/** The fields of every termination besides the evidence of its kind; a kind is never shortened. */
const ownFields: AnyChecks = { kind: { ...text, cut: (value) => value }, cut: optional(listOf(text)) };

/** Only its schema knows a third-party kind: each of its fields is kept, and cut like any JSON. */
function thirdPartyFields(value: object): AnyChecks {
  return Object.fromEntries(Object.keys(value).map((key) => [key, json]));
}

function inside(place: Place, key: string | number): Place {
  return { path: at(place.path, key), depth: place.depth + 1 };
}

// Not an assignment, which would set the prototype for a key named __proto__.
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
