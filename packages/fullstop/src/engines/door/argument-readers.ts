import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject } from '../../termination/json.js';
import { checkAnswer } from '../port/check-answer.js';
import type {
  AbortSignalLike,
  JournalQuery,
  NoticeLease,
  OutboxItem,
  ReopenRequest,
  RunFilter,
  RunnableDefinition,
  StartRequest,
  WorkerOptions,
} from '../port/engine.js';
import type { RequestAnswer } from '../port/request.js';
import { conversationPlace, entryType } from './entry-readers.js';
import { define, type FieldReaders, listOf, mapOf, optional, type Reader, record } from './reader.js';
import { anyText, count, flag, having, instant, json, jsonObject, label, name, oneOf, whole } from './readers.js';

export const startRequest: Reader<StartRequest> = record<StartRequest>({
  runId: name,
  name,
  version: name,
  parent: optional(record<NonNullable<StartRequest['parent']>>({ runId: name, scope: label })),
  conversation: optional(conversationPlace),
  input: optional(json),
  options: optional(jsonObject),
});

/** A copy of an answer; what nobody decided must never count as a yes. */
export function readAnswer(requestId: string, given: unknown): RequestAnswer {
  const answer = isObject(given) ? { ...given } : given;
  checkAnswer(requestId, answer);
  return answer.value === undefined ? answer : { ...answer, value: json.read(answer.value, 'answer.value') };
}

/** Answers by the ids of their requests. */
const answers: Reader<Readonly<Record<string, RequestAnswer>>> = {
  expected: 'an object of answers by the id of their request, such as { call_7: approve() }',
  read(value, path) {
    if (!isObject(value))
      throw new FullstopError('INVALID_ANSWER', `${path} is ${found(value)}; it must be ${this.expected}.`);
    const result: Record<string, RequestAnswer> = {};
    for (const requestId of Object.keys(value)) {
      name.read(requestId, `the id of a request in ${path}`);
      define(result, requestId, readAnswer(requestId, value[requestId]));
    }
    return result;
  },
};

export const reopenRequest: Reader<ReopenRequest> = record<ReopenRequest>({
  runId: name,
  after: count,
  because: oneOf('answer', 'expiry', 'resume', 'cancel'),
  by: optional(label),
  options: optional(jsonObject),
  answers: optional(answers),
});

/** The part of a filter that says which runs, for calls that return no pages. */
export const runConditions: FieldReaders<Omit<RunFilter, 'cursor' | 'limit'>> = {
  name: optional(label),
  state: optional(oneOf('ready', 'running', 'parked', 'ended')),
  kind: optional(label),
  category: optional(oneOf('success', 'paused', 'cancelled', 'capacity', 'retryable', 'fatal')),
  outcome: optional(oneOf('succeeded', 'skipped', 'paused', 'cancelled', 'failed')),
  text: optional(label),
  idPrefix: optional(label),
  parentRunId: optional(label),
  conversation: optional(label),
  roots: optional(flag),
  startedAfter: optional(instant),
  startedBefore: optional(instant),
};

export const runFilter: Reader<RunFilter> = record<RunFilter>({
  ...runConditions,
  cursor: optional(label),
  limit: optional(whole),
});

export const journalQuery: Reader<JournalQuery> = record<JournalQuery>({
  after: optional(count),
  limit: optional(count),
  types: optional(listOf(entryType)),
  newest: optional(count),
});

export const noticeLease: Reader<NoticeLease> = record<NoticeLease>({
  until: instant,
  dueBy: optional(instant),
  slots: mapOf(label, count),
});

export const outboxItem: Reader<OutboxItem> = record<OutboxItem>({
  id: name,
  runId: name,
  segment: whole,
  target: label,
  payload: anyText,
  headHash: optional(anyText),
  attempts: count,
  dueAt: instant,
});

const executable = having<RunnableDefinition>(
  'a definition with name, version and execute, such as one of defineRun',
  'execute',
);

/** Read when it is needed: a definition may spawn itself. */
const spawned: Reader<readonly RunnableDefinition[]> = {
  expected: 'a list of definitions',
  read: (value, path) => listOf(executable).read(value, path),
};

export const definition: Reader<RunnableDefinition> = {
  expected: executable.expected,
  read(value, path) {
    const given = executable.read(value, path);
    return {
      name: name.read(given.name, `${path}.name`),
      version: name.read(given.version, `${path}.version`),
      execute: (session, engine) => given.execute(session, engine),
      ...(given.spawns !== undefined && { spawns: spawned.read(given.spawns, `${path}.spawns`) }),
    };
  },
};

export const workerOptions: Reader<WorkerOptions> = record<WorkerOptions>({
  workerId: optional(name),
  concurrency: optional(whole),
});

export const abortSignal: Reader<AbortSignalLike> = having<AbortSignalLike>(
  'an AbortSignal',
  'addEventListener',
  'removeEventListener',
);
