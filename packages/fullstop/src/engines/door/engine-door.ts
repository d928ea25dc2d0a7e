import type { Engine, EngineWorker, RunnableDefinition, StartRequest } from '../port/engine.js';
import {
  abortSignal,
  definition,
  journalQuery,
  noticeLease,
  readAnswer,
  reopenRequest,
  runFilter,
  startRequest,
  workerOptions,
} from './argument-readers.js';
import { type ArgumentsReader, type Door, inOrder, readAtDoor, refusalOf } from './door.js';
import { journal } from './journal-reader.js';
import { listOf, optional, type Reader } from './reader.js';
import { amount, count, instant, name, whole } from './readers.js';
import { cancelRequest } from './request-readers.js';
import { guardSession } from './session-door.js';

type Arguments<TName extends keyof Engine> = Engine[TName] extends (...given: infer TParameters) => unknown
  ? TParameters
  : never;

const runId: readonly ['runId', Reader<string>] = ['runId', name];
const ofRun = inOrder<[runId: string]>(runId);

/** The arguments that each method of an engine may be given. Whatever the engine is made of, nothing else reaches it. */
const engineDoor: Door<Engine> = {
  start: inOrder<Arguments<'start'>>(['', startRequest]),
  reopen: inOrder<Arguments<'reopen'>>(['', reopenRequest]),
  claim: inOrder<Arguments<'claim'>>(runId, ['workerId', name]),
  answer: ([run, request, answer]) => {
    const requestId = name.read(request, 'requestId');
    return [name.read(run, 'runId'), requestId, readAnswer(requestId, answer)];
  },
  cancel: inOrder<Arguments<'cancel'>>(runId, ['', cancelRequest]),
  openRequests: ofRun,
  ending: ofRun,
  waitForEnding: inOrder<Arguments<'waitForEnding'>>(runId, ['segment', count], ['signal', optional(abortSignal)]),
  waitUntilReady: ofRun,
  summary: ofRun,
  list: inOrder<Arguments<'list'>>(['', optional(runFilter)]),
  journal: inOrder<Arguments<'journal'>>(runId, ['', optional(journalQuery)]),
  dueNotices: inOrder<Arguments<'dueNotices'>>(['limit', optional(whole)]),
  leaseNotices: inOrder<Arguments<'leaseNotices'>>(['', noticeLease]),
  settleNotice: inOrder<Arguments<'settleNotice'>>(
    ['id', name],
    ['retryAt', optional(instant)],
    ['leasedUntil', optional(instant)],
  ),
  importRun: (given) => [readAtDoor('importRun', () => journal.read(given[0], 'entries'), 'INVALID_JOURNAL')],
  worker: inOrder<Arguments<'worker'>>(['definitions', listOf(definition)], ['', optional(workerOptions)]),
  close: inOrder<[]>(),
};

/** The arguments of methods that an engine has besides those of the port. */
export type ExtraDoor<TEngine extends Engine> = Omit<Door<TEngine>, keyof Engine>;

type Call = (...given: readonly unknown[]) => unknown;

/** Reads the arguments of a call and makes it; what cannot be meant is a rejection. */
function pass<TName extends keyof typeof engineDoor>(
  engine: Engine,
  called: TName,
  given: readonly unknown[],
): ReturnType<Engine[TName]> {
  return passTo(engine, called, engineDoor[called], given) as ReturnType<Engine[TName]>;
}

function passTo(
  engine: object,
  called: string,
  read: ArgumentsReader<readonly unknown[]>,
  given: readonly unknown[],
): unknown {
  let checked: readonly unknown[];
  try {
    checked = read(given);
  } catch (error) {
    return Promise.reject(refusalOf(called, error));
  }
  return (engine as Readonly<Record<string, Call>>)[called]?.(...checked);
}

/**
 * The engine as everyone gets it: whatever comes from outside is read once, before the engine sees it, and what cannot be
 * meant is refused with a typed error. Sessions are guarded too, those of `claim` and those that workers execute.
 * Written out, because a server may make an engine for every run.
 */
export function guardEngine(engine: Engine): Engine {
  const { name: ofEngine, clock, durable, encoded } = engine;
  // One context for all of these: a function that made them would need one for each. And no spread: every run without an engine makes one.
  const guarded: Engine = {
    name: ofEngine,
    clock,
    durable,
    start: async (request) => engine.start(readStartRequest(request)),
    reopen: (...given) => pass(engine, 'reopen', given),
    claim: async (run, worker) => {
      const session = await engine.claim(
        readFor('claim', name, run, 'runId'),
        readFor('claim', name, worker, 'workerId'),
      );
      return session && guardSession(session);
    },
    answer: (...given) => pass(engine, 'answer', given),
    cancel: (...given) => pass(engine, 'cancel', given),
    openRequests: (...given) => pass(engine, 'openRequests', given),
    ending: (...given) => pass(engine, 'ending', given),
    waitForEnding: (...given) => pass(engine, 'waitForEnding', given),
    waitUntilReady: (...given) => pass(engine, 'waitUntilReady', given),
    summary: (...given) => pass(engine, 'summary', given),
    list: (...given) => pass(engine, 'list', given),
    journal: (...given) => pass(engine, 'journal', given),
    dueNotices: (...given) => pass(engine, 'dueNotices', given),
    leaseNotices: (...given) => pass(engine, 'leaseNotices', given),
    settleNotice: (...given) => pass(engine, 'settleNotice', given),
    importRun: (...given) => pass(engine, 'importRun', given),
    worker: (...wanted) => {
      const [definitions, options] = readAtDoor('worker', () => engineDoor.worker(wanted));
      const within = (given: readonly RunnableDefinition[]): readonly RunnableDefinition[] =>
        withSpawned(given).map((each) => inGuard(each, guarded));
      return guardWorker(engine.worker(within(definitions), options), within);
    },
    close: (...given) => pass(engine, 'close', given),
  };
  return Object.assign(guarded, encoded !== undefined && { encoded }, sharedOf(engine));
}

/** Reads what a run is started with. */
export function readStartRequest(request: unknown): StartRequest {
  return readFor('start', startRequest, request);
}

/** Reads one argument. */
function readFor<T>(called: string, reader: Reader<T>, value: unknown, path = ''): T {
  try {
    return reader.read(value, path);
  } catch (error) {
    throw refusalOf(called, error);
  }
}

/** Guards an engine that has methods besides those of the port. */
export function guardEngineWith<TEngine extends Engine>(engine: TEngine, extra: ExtraDoor<TEngine>): TEngine {
  const rows = Object.entries(extra) as [string, ArgumentsReader<readonly unknown[]>][];
  const more = rows.map(([called, read]): [string, Call] => [
    called,
    (...given) => passTo(engine, called, read, given),
  ]);
  return Object.assign(guardEngine(engine), Object.fromEntries(more)) as unknown as TEngine;
}

/** The parts that only some engines have, and only we call. */
function sharedOf({ queued, providers, spending }: Engine): Pick<Engine, 'queued' | 'providers' | 'spending'> {
  return {
    ...(queued !== undefined && { queued }),
    ...(providers !== undefined && { providers }),
    ...(spending !== undefined && { spending }),
  };
}

/** Definitions together with those that their runs spawn, each once. */
function withSpawned(definitions: readonly RunnableDefinition[]): readonly RunnableDefinition[] {
  const known = new Map<string, RunnableDefinition>();
  const add = (each: RunnableDefinition): void => {
    const key = JSON.stringify([each.name, each.version]);
    if (known.has(key)) return;
    known.set(key, { name: each.name, version: each.version, execute: (...given) => each.execute(...given) });
    for (const spawned of each.spawns ?? []) add(spawned);
  };
  for (const each of definitions) add(each);
  return [...known.values()];
}

function inGuard({ name: ofDefinition, version, execute }: RunnableDefinition, guarded: Engine): RunnableDefinition {
  return { name: ofDefinition, version, execute: (session) => execute(guardSession(session), guarded) };
}

const workerDoor: Door<EngineWorker> = {
  add: inOrder<Parameters<EngineWorker['add']>>(['definitions', listOf(definition)]),
  stop: inOrder<Parameters<EngineWorker['stop']>>(['graceMs', optional(amount)]),
};

function guardWorker(
  worker: EngineWorker,
  within: (definitions: readonly RunnableDefinition[]) => readonly RunnableDefinition[],
): EngineWorker {
  return {
    workerId: worker.workerId,
    add: (...given) => worker.add(within(readAtDoor('add', () => workerDoor.add(given))[0])),
    stop: async (...given) => worker.stop(...readAtDoor('stop', () => workerDoor.stop(given))),
  };
}
