import { type InputText, inputsFromText } from 'fullstop/workflow';
import { suggestion } from '../command-line/suggestion.js';
import { UsageError } from '../command-line/usage-error.js';

export interface GivenInputs {
  /** `name=value` of `--input`. */
  readonly input: readonly string[];
  /** `name=JSON` of `--input-json`. */
  readonly 'input-json': readonly string[];
}

/** The declaration of an input in a workflow file. */
export interface DeclaredInput {
  readonly type: 'array' | 'boolean' | 'number' | 'object' | 'string';
  readonly required: boolean;
  readonly default?: string | undefined;
  readonly description?: string | undefined;
}

export type DeclaredInputs = ReadonlyMap<string, DeclaredInput>;

/** The JSON text of the inputs of a workflow. A value is read as the type that is declared for it, else by its looks. */
export function readInputs(given: GivenInputs, declared: DeclaredInputs): string {
  return inputsFromText([
    ...given.input.map((text) => inputText(text, declared)),
    ...given['input-json'].map((text): InputText => ({ type: 'json', given: text })),
  ]);
}

function inputText(given: string, declared: DeclaredInputs): InputText {
  const sign = given.indexOf('=');
  const name = given.slice(0, Math.max(sign, 0));
  const type = declared.get(name)?.type;
  const text = given.slice(sign + 1);
  const plain: InputText = { type: 'text', given };
  if (type === undefined || sign < 1) return plain;
  if (type === 'string') return { type: 'json', given: `${name}=${JSON.stringify(text)}` };
  // What is optional may be said to be absent.
  if (text === 'null') return plain;
  if (typeOfJson(text) === type) return { type: 'json', given };
  if (typeOfJson(JSON.stringify(byLooks(name, plain))) === type) return plain;
  throw new UsageError(`The input ${JSON.stringify(name)} must be ${wanted[type]}, not ${JSON.stringify(text)}.`);
}

const wanted: Readonly<Record<Exclude<DeclaredInput['type'], 'string'>, string>> = {
  array: 'a list as JSON, such as ["a", "b"]',
  boolean: 'true or false',
  number: 'a number',
  object: 'an object as JSON, such as {"a": 1}',
};

/** Numbers such as `1_000` and words such as `True` are read too. */
function byLooks(name: string, text: InputText): unknown {
  return (JSON.parse(inputsFromText([text])) as Readonly<Record<string, unknown>>)[name];
}

function typeOfJson(text: string | undefined): DeclaredInput['type'] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (Array.isArray(value)) return 'array';
    return value === null ? undefined : (typeof value as DeclaredInput['type']);
  } catch {
    // Not JSON at all.
    return undefined;
  }
}

/** The names of the inputs that a text of them has. */
function namesIn(inputs: string): readonly string[] {
  return Object.keys(JSON.parse(inputs) as object);
}

/** Warnings about inputs that the file does not declare; the workflow may still run. */
export function undeclaredInputs(inputs: string, declared: DeclaredInputs): readonly string[] {
  const known = [...declared.keys()];
  if (known.length === 0) return [];
  return namesIn(inputs)
    .filter((name) => !declared.has(name))
    .map((name) => `the file declares no input ${JSON.stringify(name)}${suggestion(name, known)}`);
}

/** Says what to give where something that is required was not given. */
export function refuseMissing(inputs: string, declared: DeclaredInputs): void {
  const given = new Set(namesIn(inputs));
  const missing = [...declared].filter(
    ([name, { required, default: usual }]) => required && !given.has(name) && (usual === undefined || usual === 'null'),
  );
  if (missing.length === 0) return;
  const list = missing.map(([name, { type, description }]) => {
    const about = description === undefined ? '' : `: ${description.trim()}`;
    return `  ${name} (${type})${about}`;
  });
  const flags = missing.map(([name, { type }]) => `-i ${name}=${type === 'string' ? 'TEXT' : type.toUpperCase()}`);
  throw new UsageError(`The workflow needs more inputs:\n${list.join('\n')}\nPass them: ${flags.join(' ')}`);
}
