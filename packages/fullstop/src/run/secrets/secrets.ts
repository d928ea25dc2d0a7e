import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { writtenForms } from './written-forms.js';

/**
 * Keeps the values of secrets out of everything that is stored or shown. Journal and body hold placeholders such as
 * `{{secret:API_KEY}}`; only a step that performs a call puts the value back.
 */
export interface Secrets {
  readonly names: readonly string[];
  /** Puts a placeholder where a value stands, in all strings and keys. What holds no secret comes back as it is. */
  seal<T>(value: T): T;
  /** Puts the values back, for the call that needs them. */
  unseal<T>(value: T): T;
  /** Shows `‹NAME›` instead of a value or a placeholder: for whatever leaves the program. */
  mask<T>(value: T): T;
}

/** True for what `createSecrets` returns, and not for the plain values. */
export function isSecrets(value: unknown): value is Secrets {
  const { seal, unseal, mask } = (value ?? {}) as Partial<Secrets>;
  return [seal, unseal, mask].every((each) => typeof each === 'function');
}

/** A shorter value would be found by chance in texts that have nothing to do with it. */
const shortestValue = 6;
const namePattern = /^[A-Za-z_][\w.-]*$/;

/** A text to look for, and the placeholder that takes its place. */
interface Written {
  readonly name: string;
  readonly text: string;
  readonly placeholder: string;
}

/** Any placeholder, also of a secret that is not configured any more. */
const placeholderPattern = String.raw`\{\{secret:([A-Za-z_][\w.-]*)(?::[A-Za-z0-9.]+)?\}\}`;

/** Makes secrets known by their names. */
export function createSecrets(values: Readonly<Record<string, string>>): Secrets {
  for (const [name, value] of Object.entries(values)) check(name, value);
  const written = Object.entries(values).flatMap(([name, value]) => writingsOf(name, value));
  // Of two secrets with the same value the first one's name is used.
  const byText = new Map(written.toReversed().map((each) => [each.text, each]));
  const texts = new Map(written.map(({ placeholder: sealed, text }) => [sealed, text]));
  const longestFirst = [...byText.keys()].sort((left, right) => right.length - left.length);
  // Placeholders come before values, so that sealing what is sealed changes nothing.
  const anything = new RegExp([placeholderPattern, ...longestFirst.map(escapePattern)].join('|'), 'g');
  const placeholder = new RegExp(placeholderPattern, 'g');

  const seal = (text: string): string =>
    text.replace(anything, (found) => {
      const value = byText.get(found);
      return value === undefined ? found : value.placeholder;
    });
  const unseal = (text: string): string => text.replace(placeholder, (found) => texts.get(found) ?? found);
  const mask = (text: string): string =>
    text.replace(anything, (found, name: string | undefined) => `‹${name ?? byText.get(found)?.name}›`);

  return {
    names: Object.keys(values),
    seal: (value) => inStrings(value, seal),
    unseal: (value) => inStrings(value, unseal),
    mask: (value) => inStrings(value, mask),
  };
}

function check(name: string, value: unknown): void {
  if (!namePattern.test(name)) {
    throw new FullstopError(
      'INVALID_OPTION',
      `A secret cannot be named ${JSON.stringify(name)}; use letters, digits, "_", "-" and ".".`,
    );
  }
  if (typeof value !== 'string') {
    throw new FullstopError(
      'INVALID_OPTION',
      `The secret ${name} is ${value === undefined ? 'not set' : `a ${typeof value}`}; it must be a text.`,
    );
  }
  if (value.length >= shortestValue) return;
  throw new FullstopError(
    'INVALID_OPTION',
    `The secret ${name} has ${value.length} characters; ${shortestValue} are needed, since a shorter value would be found by chance in other texts.`,
  );
}

function writingsOf(name: string, value: string): readonly Written[] {
  return writtenForms(value).map(({ form, text }) => ({
    name,
    text,
    placeholder: form === '' ? `{{secret:${name}}}` : `{{secret:${name}:${form}}}`,
  }));
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Changes every string and key inside a value. Parts that do not change are not copied. */
function inStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  return (Array.isArray(value) ? inList(value, change) : inObject(value, change)) as T;
}

function inList(list: readonly unknown[], change: (text: string) => string): readonly unknown[] {
  let changed: unknown[] | undefined;
  for (const [index, member] of list.entries()) {
    const next = inStrings(member, change);
    if (next === member) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return changed ?? list;
}

function inObject(source: object, change: (text: string) => string): object {
  let same = true;
  const entries = Object.entries(source).map(([key, member]) => {
    const next = [change(key), inStrings(member, change)] as const;
    same &&= next[0] === key && next[1] === member;
    return next;
  });
  return same ? source : Object.fromEntries(entries);
}
