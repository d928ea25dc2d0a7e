import type { WorkflowForm } from '../api/contract.js';

export type FormInput = WorkflowForm['inputs'][number];

/** The contents of the form: texts as they were typed, and marks. */
export type StartValues = Readonly<Record<string, string | boolean>>;

/** The form as it is at first: with the defaults. */
export function firstValues(inputs: readonly FormInput[]): StartValues {
  return Object.fromEntries(
    inputs.map(({ name, type, default: usual }) => [name, type === 'boolean' ? usual === true : textOf(usual)]),
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Inputs by name, or what is wrong with one of them. */
export type ReadStart = { readonly inputs: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** Reads the form; an input that is left empty has its default. */
export function readStart(inputs: readonly FormInput[], values: StartValues): ReadStart {
  const read: Record<string, unknown> = {};
  for (const input of inputs) {
    const typed = values[input.name] ?? '';
    if (typed === '') {
      if (input.required) return { problem: `${input.name} is required.` };
      continue;
    }
    const value = typeof typed === 'boolean' ? { value: typed } : readValue(input, typed);
    if ('problem' in value) return value;
    read[input.name] = value.value;
  }
  return { inputs: read };
}

/** Reads what was changed in a form that began with the inputs of a run; undefined where nothing was. */
export function readChanged(
  inputs: readonly FormInput[],
  values: StartValues,
): { readonly inputs: Readonly<Record<string, unknown>> | undefined } | { readonly problem: string } {
  const first = firstValues(inputs);
  const changed = inputs.filter(({ name }) => values[name] !== undefined && values[name] !== first[name]);
  const read: Record<string, unknown> = {};
  for (const input of changed) {
    const typed = values[input.name] ?? '';
    if (typed === '' && input.type !== 'string') return { problem: `${input.name} cannot be empty.` };
    const value = typeof typed === 'boolean' ? { value: typed } : readValue(input, typed);
    if ('problem' in value) return value;
    read[input.name] = value.value;
  }
  return { inputs: changed.length === 0 ? undefined : read };
}

function readValue(
  { name, type }: FormInput,
  typed: string,
): { readonly value: unknown } | { readonly problem: string } {
  if (type === 'string') return { value: typed };
  if (type === 'number') {
    const value = Number(typed);
    return Number.isFinite(value)
      ? { value }
      : { problem: `${name}: a number is needed, not ${JSON.stringify(typed)}.` };
  }
  try {
    return { value: JSON.parse(typed) };
  } catch (error) {
    return { problem: `${name} is no JSON: ${(error as Error).message}` };
  }
}
