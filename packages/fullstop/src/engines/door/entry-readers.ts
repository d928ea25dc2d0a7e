import type { ErrorData } from '../../termination/errors/error-data.js';
import type { ConversationPlace } from '../port/conversation-place.js';
import type { CancelRequest, EntryData, EntryType, ForkOrigin } from '../port/journal-entry.js';
import { envelope, termination } from './envelope-reader.js';
import { listOf, Misfit, optional, type Reader, record, scalar } from './reader.js';
import { anyText, count, flag, instant, integer, json, jsonObject, label, name, oneOf, whole } from './readers.js';
import { cancelRequest, onExpiry, openRequest, receivedAnswer } from './request-readers.js';

/** Members that newer versions write besides are left as they are. */
const others = 'ignored';

const parent = record<NonNullable<EntryData['run_started']['parent']>>({ runId: name, scope: label }, others);

const seenRun = record<NonNullable<ConversationPlace['after']>>({ runId: name, segment: whole }, others);

const forkOrigin = record<ForkOrigin>({ runId: name, at: whole, hash: optional(label), by: optional(label) }, others);

/** The turn of a conversation that a run is. */
export const conversationPlace: Reader<ConversationPlace> = record<ConversationPlace>(
  { id: name, turn: whole, after: optional(seenRun) },
  others,
);

const anyOutcome = record<{ readonly ok: boolean; readonly attempts?: number; readonly next?: number }>(
  { ok: flag, attempts: optional(count), next: optional(integer) },
  others,
);

/** How a step came out: with a value, or with an error. */
const outcome: Reader<unknown> = {
  expected: 'the outcome of a step',
  read(value, path, trusted) {
    const { ok } = anyOutcome.read(value, path, trusted);
    return (ok ? succeeded : failed).read(value, path, trusted);
  },
};
const succeeded = record<{ readonly value?: unknown }>({ value: optional(json as Reader<unknown>) }, others);
const error: Reader<ErrorData> = record<Pick<ErrorData, 'name' | 'message'>>(
  { name: anyText, message: anyText },
  others,
);
const failed = record<{ readonly error: ErrorData }>({ error }, others);

const sleep = record<{ readonly until: number }>({ until: instant }, others);

/** The data that each type of entry must hold for the journal to be followed; a new type needs its row here. */
export const entryReaders: { readonly [TType in EntryType]: Reader<unknown> } = {
  run_started: record<EntryData['run_started']>(
    {
      name,
      version: label,
      input: optional(json),
      options: optional(jsonObject),
      parent: optional(parent),
      conversation: optional(conversationPlace),
      forkedFrom: optional(listOf(forkOrigin)),
    },
    others,
  ),
  segment_opened: record<EntryData['segment_opened']>(
    {
      from: whole,
      because: oneOf('answer', 'expiry', 'resume', 'cancel'),
      by: optional(label),
      options: optional(jsonObject),
    },
    others,
  ),
  step_started: record<EntryData['step_started']>({ attempt: whole }, others),
  step_noted: record<EntryData['step_noted']>({ attempt: whole, note: json }, others),
  step_ended: outcome,
  recorded: outcome,
  sleep_started: sleep,
  sleep_ended: sleep,
  request_opened: record<EntryData['request_opened']>({ request: openRequest }, others),
  request_answered: record<EntryData['request_answered']>({ answer: receivedAnswer }, others),
  request_expired: record<EntryData['request_expired']>({ requestId: name, deadline: instant, onExpiry }, others),
  request_withdrawn: record<EntryData['request_withdrawn']>({ requestId: name }, others),
  scope_opened: record<EntryData['scope_opened']>({ name: label, attempt: whole, next: optional(integer) }, others),
  child_spawned: record<EntryData['child_spawned']>({ runId: name, name }, others),
  batch_stopped: record<EntryData['batch_stopped']>(
    { by: anyText, cause: termination, notStarted: listOf(anyText) },
    others,
  ),
  batch_evaluated: record<EntryData['batch_evaluated']>({ applied: listOf(anyText) }, others),
  observed: jsonObject,
  emitted: record<EntryData['emitted']>({ event: json }, others),
  cancel_requested: cancelRequest as Reader<CancelRequest>,
  unit_ended: record<Pick<EntryData['unit_ended'], 'termination' | 'output'>>(
    { termination, output: optional(json) },
    others,
  ),
  segment_ended: record<EntryData['segment_ended']>({ envelope }, others),
};

export const entryType: Reader<EntryType> = scalar(
  'a type of entry',
  (value) => typeof value === 'string' && Object.hasOwn(entryReaders, value),
);

/** Reads the data of an entry by its type. */
export function readEntryData(type: EntryType, data: unknown, trusted: boolean): void {
  if (!Object.hasOwn(entryReaders, type)) throw new Misfit('type', type, entryType.expected);
  entryReaders[type].read(data, 'data', trusted);
}
