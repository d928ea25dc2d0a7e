import { awaitGrace } from '../port/await-grace.js';
import { DefinitionSet } from '../port/definition-set.js';
import type { Engine, EngineWorker, RunnableDefinition, WorkerOptions } from '../port/engine.js';
import { workerConcurrency } from '../port/worker-concurrency.js';
import type { MemoryRun } from './memory-run.js';

interface WorkerParts {
  readonly engine: Engine;
  readonly definitions: readonly RunnableDefinition[];
  readonly options: WorkerOptions & { readonly workerId: string };
  readonly runs: ReadonlyMap<string, MemoryRun>;
  readonly readyListeners: Set<() => void>;
}

/** Executes runs that become ready, up to its concurrency. */
export function memoryWorker({ engine, definitions, options, runs, readyListeners }: WorkerParts): EngineWorker {
  const { workerId } = options;
  const concurrency = workerConcurrency(options);
  const running = new Set<Promise<void>>();
  const known = new DefinitionSet(definitions);
  let stopped = false;

  const take = (): void => {
    if (stopped) return;
    for (const run of runs.values()) {
      if (running.size >= concurrency) return;
      const definition = run.state === 'ready' ? known.find(run.identity) : undefined;
      const session = definition && run.claim();
      if (definition === undefined || session === undefined) continue;
      const finish = (): void => {
        running.delete(execution);
        take();
      };
      // An execution that fails has no ending, and no other worker can do better with the same store.
      const execution: Promise<void> = definition.execute(session, engine).then(finish, finish);
      running.add(execution);
    }
  };

  const setAlarms = (): void => {
    for (const run of runs.values()) run.setAlarm();
  };

  readyListeners.add(take);
  setAlarms();
  take();
  return {
    workerId,
    add: (more) => {
      known.add(more);
      take();
    },
    async stop(graceMs = 5000) {
      stopped = true;
      readyListeners.delete(take);
      setAlarms();
      await awaitGrace(engine.clock, [...running], graceMs);
    },
  };
}
