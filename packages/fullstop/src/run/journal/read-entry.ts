import type { EntryType, JournalEntry } from '../../engines/port/journal-entry.js';
import { isObject } from '../../termination/json.js';

/** The entry that a line holds, or what is wrong with it. */
export function readEntry(text: string): JournalEntry | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `not JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  return problemWith(value) ?? (value as JournalEntry);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isInteger: Check = (value) => Number.isSafeInteger(value);
const fields: Readonly<Record<string, { readonly what: string; readonly fits: Check; readonly optional?: true }>> = {
  runId: { what: 'a text', fits: (value) => isText(value) && value !== '' },
  segment: { what: 'a number from 1', fits: (value) => isInteger(value) && (value as number) >= 1 },
  seq: { what: 'a number from 1', fits: (value) => isInteger(value) && (value as number) >= 1 },
  scope: { what: 'a text', fits: isText },
  ordinal: { what: 'a whole number', fits: isInteger },
  at: { what: 'a time in milliseconds', fits: (value) => typeof value === 'number' && Number.isFinite(value) },
  type: { what: 'a type of entry', fits: (value) => typeof value === 'string' && Object.hasOwn(dataChecks, value) },
  key: { what: 'a text', fits: isText, optional: true },
  data: { what: 'an object', fits: isObject },
  hash: { what: 'a text', fits: isText, optional: true },
};

const anyObject: Check = isObject;

/** The data that each type must hold for a journal to be followed; a new type of entry needs its row here. */
const dataChecks: Readonly<Record<EntryType, Check>> = {
  run_started: (data) => isText(member(data, 'name')) && isText(member(data, 'version')),
  segment_opened: (data) => isInteger(member(data, 'from')),
  step_noted: anyObject,
  step_started: anyObject,
  step_ended: (data) => typeof member(data, 'ok') === 'boolean',
  recorded: (data) => typeof member(data, 'ok') === 'boolean',
  sleep_started: (data) => typeof member(data, 'until') === 'number',
  sleep_ended: (data) => typeof member(data, 'until') === 'number',
  request_opened: (data) => isText(member(data, 'request', 'id')),
  request_answered: (data) => isText(member(data, 'answer', 'requestId')),
  request_expired: (data) => isText(member(data, 'requestId')),
  request_withdrawn: (data) => isText(member(data, 'requestId')),
  scope_opened: (data) => isText(member(data, 'name')),
  child_spawned: (data) => isText(member(data, 'runId')),
  batch_stopped: (data) => isText(member(data, 'by')) && Array.isArray(member(data, 'notStarted')),
  batch_evaluated: (data) => Array.isArray(member(data, 'applied')),
  observed: anyObject,
  emitted: anyObject,
  cancel_requested: (data) => isText(member(data, 'by')),
  unit_ended: (data) => isText(member(data, 'termination', 'kind')),
  segment_ended: (data) =>
    isText(member(data, 'envelope', 'termination', 'kind')) && typeof member(data, 'envelope', 'open') === 'boolean',
};

function problemWith(value: unknown): string | undefined {
  if (!isObject(value)) return 'not an object';
  for (const [name, { what, fits, optional }] of Object.entries(fields)) {
    const found = value[name];
    if (found === undefined && optional === true) continue;
    if (!fits(found)) return `${name} must be ${what}, found ${showValue(found)}`;
  }
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return `there is no field ${JSON.stringify(unknown)} in an entry`;
  const type = value['type'] as EntryType;
  return dataChecks[type](value['data']) ? undefined : `the data is not that of ${type}`;
}

function member(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const name of path) current = isObject(current) ? current[name] : undefined;
  return current;
}

function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
