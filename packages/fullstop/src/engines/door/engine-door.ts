import type { Engine, EngineWorker, RunnableDefinition, WorkerOptions } from '../port/engine.js';
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

/** What each method of an engine may be given. Whatever the engine is made of, nothing else reaches it. */
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

/**
 * The engine as everyone gets it: whatever comes from outside is read once, before the engine sees it, and what cannot be
 * meant is refused with a typed error. Sessions are guarded too, those of `claim` and those that workers execute.
 */
export function guardEngine(engine: Engine): Engine {
  return guardEngineWith(engine, {});
}

/** Guards an engine that has methods besides those of the port. */
export function guardEngineWith<TEngine extends Engine>(engine: TEngine, extra: ExtraDoor<TEngine>): TEngine {
  const { name: ofEngine, clock, durable, encoded } = engine;
  // By name, because these may be getters of a class.
  const guarded = { ...engine, name: ofEngine, clock, durable, ...(encoded !== undefined && { encoded }) };
  const rows = Object.entries({ ...engineDoor, ...extra }) as [string, ArgumentsReader<readonly unknown[]>][];
  for (const [called, read] of rows) {
    const method = (engine as unknown as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>)[called];
    const call = (...given: readonly unknown[]): unknown => {
      let checked: readonly unknown[];
      try {
        checked = read(given);
      } catch (error) {
        return Promise.reject(refusalOf(called, error));
      }
      return method?.call(engine, ...checked);
    };
    Object.assign(guarded, { [called]: call });
  }
  const claim: Engine['claim'] = guarded.claim;
  return Object.assign(guarded, {
    claim: async (...given: Arguments<'claim'>) => {
      const session = await claim(...given);
      return session && guardSession(session);
    },
    worker: (...given: Arguments<'worker'>) => {
      const [definitions, options] = readAtDoor('worker', () => engineDoor.worker(given));
      return guardWorker(engine, definitions.map(inGuard), options);
    },
  });

  function inGuard({ name: ofDefinition, version, execute }: RunnableDefinition): RunnableDefinition {
    return { name: ofDefinition, version, execute: (session) => execute(guardSession(session), guarded) };
  }
}

const workerDoor: Door<EngineWorker> = {
  stop: inOrder<Parameters<EngineWorker['stop']>>(['graceMs', optional(amount)]),
};

function guardWorker(
  engine: Engine,
  definitions: readonly RunnableDefinition[],
  options: WorkerOptions | undefined,
): EngineWorker {
  const worker = engine.worker(definitions, options);
  return {
    workerId: worker.workerId,
    stop: async (...given) => worker.stop(...readAtDoor('stop', () => workerDoor.stop(given))),
  };
}
