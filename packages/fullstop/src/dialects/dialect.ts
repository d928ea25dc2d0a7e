import type { CategoryOf, Ending, FamilyOf, FieldsOf } from '../termination/ending.js';
import { FullstopError } from '../termination/errors/fullstop-error.js';
import type { JsonValue } from '../termination/json.js';
import type { BuiltInKind, Termination } from '../termination/kinds.js';
import { builtIns, type RegisteredKind, type TerminationRegistry } from '../termination/registry.js';
import { suggestion } from '../termination/text/suggestion.js';
import { validate } from '../termination/validate.js';
import { valueAt } from '../termination/value-at.js';
import { badPayload } from './bad-payload.js';
import { differences, leafPaths } from './differences.js';

type Partly<T> = T extends readonly (infer TElement)[]
  ? readonly Partly<TElement>[]
  : T extends object
    ? { readonly [P in keyof T]?: Partly<T[P]> }
    : T;

/** The categories of an ending whose evidence may be missing: a definition that cannot find one leaves it to an operator. */
type ForeignCategoryOf<TEnding extends Ending> =
  | CategoryOf<TEnding>
  | (TEnding['kind'] extends BuiltInKind ? never : 'fatal');

/** An ending as far as a foreign value says it: its kind is certain, and any field may be absent. */
export type ForeignEnding<TEnding extends Ending> = TEnding extends Ending
  ? Ending<TEnding['kind'], ForeignCategoryOf<TEnding>, FamilyOf<TEnding>> & Partly<FieldsOf<TEnding>>
  : never;

/** A built-in termination as far as a foreign value says it: fields that the value does not have are absent. */
export type ForeignTermination<TKind extends BuiltInKind = BuiltInKind> = TKind extends BuiltInKind
  ? ForeignEnding<Termination<TKind>>
  : never;

/** The evidence part of a foreign termination. */
export type ForeignFields<TKind extends BuiltInKind> = Omit<ForeignTermination<TKind>, 'kind'>;

/** How much of a termination a foreign value keeps: everything, its kind, or not even that. */
export type Fidelity = 'full' | 'word' | 'none';

/** A termination in a foreign vocabulary. */
export interface DialectTranslation<TValue> {
  /** Null when the vocabulary has no word, not even a general one. */
  readonly value: TValue | null;
  readonly fidelity: Fidelity;
  /** The paths of the termination that the value does not keep; `kind` among them when the word says something else. */
  readonly lost: readonly string[];
}

/** The meaning of a foreign value. */
export interface ForeignReading<TExtra extends Ending = never> {
  readonly termination: ForeignTermination | ForeignEnding<TExtra>;
  /** The paths of required fields that the value does not have. */
  readonly unknown: readonly string[];
}

/** Options of a translation between an ending and the words of another library. */
export interface DialectOptions<TExtra extends Ending = never> {
  /** Knows third-party kinds and, in `dialects`, how this vocabulary calls them. */
  readonly registry?: TerminationRegistry<TExtra>;
}

/** A foreign vocabulary of endings. */
export interface Dialect<TValue extends JsonValue = JsonValue> {
  readonly name: string;
  readonly title: string;
  /** Every word that can be read, in the order of the vocabulary's own documents. */
  readonly words: readonly ForeignWord[];
  encode(termination: Ending | ForeignTermination, options?: DialectOptions<Ending>): DialectTranslation<TValue>;
  /** Throws `UNKNOWN_WORD` for a value that is not of this vocabulary. */
  decode<TExtra extends Ending = never>(value: unknown, options?: DialectOptions<TExtra>): ForeignReading<TExtra>;
  /** The word that a value is read by; undefined when it does not have the shape of this vocabulary. */
  wordOf(value: unknown): string | undefined;
}

/** One word of a vocabulary and what it means here. */
export interface ForeignWord<TKind extends BuiltInKind = BuiltInKind> {
  readonly word: string;
  readonly kind: TKind;
  /** The word that is written for the same meaning, when this one is only read. */
  readonly canonical?: string;
  /** The fields that the word itself implies, payload or not. */
  readonly implied: ForeignFields<TKind>;
  /** The fields that its payload carries, for the documentation: `Limit → limit`. */
  readonly carries: readonly string[];
  /** Remarks for the documentation. */
  readonly note?: string;
  /** False for a termination about which the word would say something wrong; it always fits unless given. */
  fits?(termination: ForeignTermination<TKind>): boolean;
  write(termination: ForeignTermination<TKind>): ForeignPayload;
  read(payload: ForeignPayload): ForeignFields<TKind>;
}

/** The fields beside a word; each vocabulary has its own way to put the two together. */
export type ForeignPayload = Readonly<Record<string, JsonValue>>;

/** A value taken apart. */
export interface Parts {
  readonly word: string;
  readonly payload: ForeignPayload;
}

/** The parts that a dialect is made of. */
export interface DialectDefinition<TValue extends JsonValue> {
  readonly name: string;
  readonly title: string;
  readonly words: readonly ForeignWord[];
  /** Splits a value into its parts; undefined when it does not have the shape of this vocabulary. */
  split(value: unknown): Parts | undefined;
  join(word: string, payload: ForeignPayload): TValue;
  /** The general word for a termination without one of its own; the registry knows the category of third-party kinds. */
  otherwise?(termination: Ending | ForeignTermination, registry: TerminationRegistry): TValue | null;
  /** Reads parts that neither the table nor the registry knows by a word of the table; undefined refuses them. */
  general?(parts: Parts): Parts | undefined;
  /** How the fields of third-party kinds are written beside their word; without it only the word is written. */
  readonly thirdParty?: {
    write(fields: ForeignPayload): ForeignPayload;
    read(payload: ForeignPayload): ForeignPayload;
  };
}

/** Makes a dialect from its table of words. What is lost and what is unknown is found by comparing, never declared. */
export function defineDialect<TValue extends JsonValue>(definition: DialectDefinition<TValue>): Dialect<TValue> {
  const { name, title, words, split, join } = definition;
  const byWord = new Map(words.map((word) => [word.word, word]));

  const decode = <TExtra extends Ending = never>(
    value: unknown,
    options: DialectOptions<TExtra> = {},
  ): ForeignReading<TExtra> => {
    const parts = split(value);
    const isListed = parts !== undefined && byWord.has(parts.word);
    const entry = parts && !isListed ? registeredKind(name, parts.word, options.registry) : undefined;
    if (parts !== undefined && entry !== undefined) {
      const fields = definition.thirdParty?.read(parts.payload);
      const termination = { kind: entry.kind, ...fields } as unknown as ForeignEnding<TExtra>;
      return { termination, unknown: unknownFields(parts.word, termination, options.registry as TerminationRegistry) };
    }
    const known = parts === undefined || isListed ? parts : definition.general?.(parts);
    const word = known && byWord.get(known.word);
    if (known === undefined || word === undefined) throw unknownWord(definition, value, parts?.word);
    const termination = { kind: word.kind, ...word.implied, ...word.read(known.payload) } as ForeignTermination;
    return { termination, unknown: unknownFields(known.word, termination, builtIns) };
  };

  const encode = (
    termination: Ending | ForeignTermination,
    options: DialectOptions<Ending> = {},
  ): DialectTranslation<TValue> => {
    const value = write(termination, options);
    if (value === undefined) {
      const lost = ['kind', ...leafPaths(withoutKind(termination))];
      const general = definition.otherwise?.(termination, options.registry ?? builtIns);
      return { value: general ?? null, fidelity: 'none', lost };
    }
    const lost = differences(withoutKind(termination), withoutKind(decode(value, options).termination));
    return { value, fidelity: lost.length === 0 ? 'full' : 'word', lost };
  };

  const write = (termination: Ending | ForeignTermination, options: DialectOptions<Ending>): TValue | undefined => {
    const word = bestWord(words, termination);
    if (word !== undefined) return join(word.word, word.write(termination as never));
    const own = options.registry?.find(termination.kind)?.dialects[name];
    if (typeof own !== 'string') return undefined;
    return join(own, definition.thirdParty?.write(withoutKind(termination) as ForeignPayload) ?? {});
  };

  const wordOf = (value: unknown): string | undefined => {
    const parts = split(value);
    if (parts === undefined || byWord.has(parts.word)) return parts?.word;
    return (definition.general?.(parts) ?? parts).word;
  };

  return { name, title, words, encode, decode, wordOf };
}

/** Of the words for a kind, the one whose implied fields agree best with the termination. */
export function bestWord(
  words: readonly ForeignWord[],
  termination: Ending | ForeignTermination,
): ForeignWord | undefined {
  let best: ForeignWord | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const word of words) {
    if (word.kind !== termination.kind || word.canonical !== undefined) continue;
    if (word.fits?.(termination as ForeignTermination) === false) continue;
    const wrong = differences(word.implied, termination).length;
    if (wrong < fewest) [best, fewest] = [word, wrong];
  }
  return best;
}

/** The required fields that a reading lacks. One that is there and of another type is refused. */
function unknownFields(
  word: string,
  termination: Ending | ForeignTermination,
  registry: TerminationRegistry,
): readonly string[] {
  const issues = validate(termination, { registry, unknownFields: 'keep', unknownKinds: 'reject' });
  const isBuiltIn = builtIns.find(termination.kind) !== undefined;
  // Where a whole schema does not fit, only a bare word is excused.
  const hasFields = Object.keys(termination).length > 1;
  const found = (path: string): unknown => (path === '' && !hasFields ? undefined : valueAt(termination, path));
  for (const { path, message } of issues) {
    const value = found(path);
    // A number has passed the type of its source, which may hold what a limit of ours cannot be, such as 0.
    const isForeignNumber = isBuiltIn && typeof value === 'number';
    if (value !== undefined && !isForeignNumber) throw badPayload(word, path, `of its own type: ${message}`);
  }
  return issues.map((issue) => issue.path).filter((path) => found(path) === undefined);
}

function registeredKind(
  dialect: string,
  word: string,
  registry: TerminationRegistry | undefined,
): RegisteredKind | undefined {
  const kind = registry?.kinds.find((candidate) => registry.get(candidate).dialects[dialect] === word);
  return kind === undefined ? undefined : registry?.get(kind);
}

function withoutKind(termination: object): object {
  const { kind: _kind, ...fields } = termination as { kind?: unknown };
  return fields;
}

function unknownWord(
  definition: DialectDefinition<JsonValue>,
  value: unknown,
  word: string | undefined,
): FullstopError {
  const known = definition.words.map((each) => each.word);
  const hint = word === undefined ? '' : suggestion(word, known);
  const shown = word === undefined ? shorten(value) : JSON.stringify(word);
  return new FullstopError(
    'UNKNOWN_WORD',
    `${shown} is not an ending in the ${definition.title} vocabulary${hint || `, which has ${known.join(', ')}`}.`,
  );
}

function shorten(value: unknown): string {
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 100);
  } catch {
    // Not JSON at all; its type is the most that can be said.
    return `a value of type ${typeof value}`;
  }
}
