import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FullstopError, handleSignals } from 'fullstop';
import type { RunnableDefinition, RunSession } from 'fullstop/engine';
import type { DbosEngine } from 'fullstop/engines/dbos';
import type { StoreEngine } from 'fullstop/engines/sqlite';
import { deliverNotices } from 'fullstop/notices';
import type { Workflow } from 'fullstop/workflow';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { isThere } from '../../command-line/is-there.js';
import { readDuration } from '../../command-line/read-duration.js';
import { finishWith, leaveSignals } from '../../command-line/signal-gate.js';
import { UsageError } from '../../command-line/usage-error.js';
import { LeftRuns } from '../../detached/left-runs.js';
import { LeftRunsWorker } from '../../detached/left-runs-worker.js';
import { type WorkerMark, workerMark } from '../../detached/worker-mark.js';
import type { HealthServer } from '../../health/serve-health.js';
import { WorkerFigures } from '../../health/worker-figures.js';
import { queuesOpener } from '../../store/open-queues.js';
import { type Store, withStore } from '../../store/open-store.js';
import type { StoreLocation } from '../../store/store-location.js';
import type { Terminal } from '../../terminal/terminal.js';
import { modelChoice } from '../../workflow/model-choice.js';
import { modelOptions, modelsFor } from '../../workflow/model-options.js';
import { rememberedFolder } from '../../workflow/remembered-folder.js';
import { type RunWorker, WorkflowWorker } from '../../workflow/workflow-worker.js';

const graceMs = 10_000;
const usualConcurrency = 4;
const idleChecks = 3;
const idleLookMs = 300;

export const command = defineCommand({
  name: 'worker',
  summary: 'Continues runs that are ready, due, answered or orphaned, until it is stopped',
  operands: '',
  arity: [0, 0],
  options: {
    concurrency: { type: 'number', value: 'N', about: 'How many runs at once; 4 unless given' },
    module: {
      type: 'list',
      value: 'FILE#EXPORT',
      about: 'Also runs of a definition of your own, such as ./agents.mjs#deployer',
    },
    queue: {
      type: 'list',
      value: 'NAME',
      about: 'On Postgres: only what DBOS has on these queues, within their limits; fullstop is the usual one',
    },
    'keep-dispatches': {
      type: 'text',
      value: 'DURATION',
      about: 'With --queue: how long DBOS keeps what it has dispatched after its end, such as 30d; 7d unless given',
    },
    health: {
      type: 'text',
      value: '[HOST:]PORT',
      about: 'Serves /healthz, /readyz and /metrics (Prometheus) there; only for this machine unless HOST is given',
    },
    'until-idle': { type: 'flag', about: 'Stops by itself when nothing is left to do' },
    alone: {
      type: 'flag',
      about:
        'Stops at once if such a worker is there already, and otherwise stays while runs sleep; on Postgres only for runs that were left to this machine. run --detach starts it',
    },
    ...modelOptions,
  },
  notes: [
    'Runs of workflow files need nothing else: their files are stored with them. On a signal, running steps finish and the rest is left to other workers.',
  ],
  examples: [
    'fullstop worker',
    'fullstop worker --concurrency 8 --module ./agents.mjs#deployer',
    'fullstop worker --queue fullstop --concurrency 20',
  ],
  run: async (invocation) => {
    const { options, terminal, env, cwd } = invocation;
    const concurrency = options.concurrency ?? usualConcurrency;
    const figures = new WorkerFigures(concurrency);
    const named = await Promise.all(options.module.map((each) => definitionOf(each, cwd)));
    const definitions = named.map((each) => figures.counted(each));
    const isQueued = options.queue.length > 0;
    if (isQueued && options.alone)
      throw new UsageError(
        '--alone is for runs that were left to this machine, --queue for those of a queue. Leave one out.',
      );
    const keepMs = keepDispatches(options['keep-dispatches'], isQueued);
    const onError = ({ message }: Error): void => terminal.error(`The queues cannot be reached: ${message}\n`);
    const wish = {
      listen: options.queue,
      config: invocation.loaded.config,
      definitions,
      onError,
      keepDispatchesMs: keepMs,
    };
    const opener = isQueued ? queuesOpener(wish) : undefined;
    const work = async ({ engine, loaded, location }: Store): Promise<number> => {
      await refuseMoved(engine);
      const mark = options.alone ? workerMark(location.beside) : undefined;
      if (mark?.set() === false) return exitCodes.succeeded;
      const { workflowOfRun } = await import('fullstop/workflow');
      const workflowOf = async (runId: string): Promise<Workflow> => {
        const journal = await engine.journal(runId);
        const choice = modelChoice(options, journal, cwd);
        const folder = rememberedFolder(journal) ?? cwd;
        const models = await modelsFor({ options: choice, config: loaded.config, env, cwd: folder, journal });
        return workflowOfRun(engine, runId, models);
      };
      const parts = {
        engine,
        definitions,
        concurrency,
        counting: (session: RunSession, execute: () => Promise<void>) => figures.count(session, execute),
        pollMs: 100,
        workflowOf,
        onRefused: (runId: string, { message }: Error) => terminal.error(`${runId} cannot continue here: ${message}\n`),
        onFound: (name: string) => terminal.error(`Working on ${name}\n`),
      };
      const isForLeft = options.alone && location.server !== undefined;
      const worker = isForLeft ? new LeftRunsWorker(parts, new LeftRuns(location.beside)) : new WorkflowWorker(parts);
      leaveSignals();
      const handling = drainOnSignals(worker, figures);
      const health = await openHealth(options.health, { engine, isQueued, figures, terminal });
      worker.start();
      if (isQueued && worker instanceof WorkflowWorker) await reportUnserved(worker, engine as DbosEngine, terminal);
      const delivery = loaded.config.onEnding && deliverNotices(engine, { targets: loaded.config.onEnding });
      delivery?.start();
      terminal.error(`Waiting for runs in ${invocation.options.store ?? 'the store'}. Ctrl-C stops.\n`);
      const idle = options['until-idle'] ? untilIdle({ worker, mark, location }) : new Promise<never>(() => undefined);
      await Promise.race([handling.stopped, idle]);
      mark?.clear();
      await worker.stop(graceMs);
      await delivery?.stop();
      await health?.close();
      finishWith(exitCodes.succeeded);
      handling.dispose();
      return exitCodes.succeeded;
    };
    return withStore(invocation, 'make', work, opener);
  },
});

function keepDispatches(duration: string | undefined, isQueued: boolean): number | undefined {
  if (duration === undefined) return undefined;
  if (!isQueued)
    throw new UsageError('--keep-dispatches is for workers that take runs from queues. Add --queue, or leave it out.', {
      command: 'worker',
    });
  return Math.ceil(readDuration(duration, '--keep-dispatches'));
}

/** Lets running steps finish on a signal, and says so to whoever asks whether it is ready. */
function drainOnSignals(worker: RunWorker, figures: WorkerFigures): ReturnType<typeof handleSignals> {
  const stop = (grace = graceMs): Promise<void> => {
    figures.isDraining = true;
    return worker.stop(grace);
  };
  return handleSignals({ policy: 'park', graceMs, worker: { stop } });
}

/** Says which runs nobody can execute: they would wait without a word. */
async function reportUnserved(
  worker: WorkflowWorker,
  engine: DbosEngine,
  terminal: Invocation['terminal'],
): Promise<void> {
  await worker.look();
  for (const { name, version, queue, ready, parked } of await engine.unserved()) {
    if (queue !== undefined) {
      terminal.error(
        `${name} ${version}: ${ready} on the queue ${queue}, which no worker with the definitions of whoever queued them listens to. Give all workers the same --module, or start one like that with --queue ${queue}\n`,
      );
      continue;
    }
    if (worker.knows(name, version)) continue;
    terminal.error(
      `${name} ${version}: ${ready} ready and ${parked} waiting, and no worker has this version. Start one that has: fullstop worker --module FILE#EXPORT\n`,
    );
  }
}

interface Leaving {
  readonly worker: RunWorker;
  readonly mark: WorkerMark | undefined;
  readonly location: StoreLocation;
}

/** Nothing could be claimed there, and a worker would wait for ever. */
async function refuseMoved(engine: StoreEngine): Promise<void> {
  const target = await engine.movedTo();
  if (target === undefined) return;
  throw new FullstopError(
    'STORE_MOVED',
    `The runs of this store were moved to ${target}: start the worker on that store.`,
  );
}

/**
 * Settles when nothing was left to do several times in a row. A worker that others rely on says first that it leaves, and then looks once
 * more: whoever made something ready before has seen it there, and whoever comes after starts another.
 */
async function untilIdle({ worker, mark, location }: Leaving): Promise<void> {
  const isIdle = (): Promise<boolean> => worker.isIdle({ sleepers: mark !== undefined });
  for (let quiet = 0; ; ) {
    await new Promise((resume) => setTimeout(resume, idleLookMs));
    // Nobody can find what would be written to a file that was removed.
    if (location.server === undefined && !existsSync(location.file)) return;
    quiet = (await isIdle()) ? quiet + 1 : 0;
    if (quiet < idleChecks) continue;
    mark?.clear();
    if (mark === undefined || (await isIdle()) || !mark.set()) return;
    quiet = 0;
  }
}

interface HealthSources {
  readonly engine: StoreEngine;
  readonly isQueued: boolean;
  readonly figures: WorkerFigures;
  readonly terminal: Terminal;
}

/** Loaded when it is asked for. */
async function openHealth(
  place: string | undefined,
  { engine, isQueued, figures, terminal }: HealthSources,
): Promise<HealthServer | undefined> {
  if (place === undefined) return undefined;
  const { serveHealth } = await import('../../health/serve-health.js');
  const health = await serveHealth({
    place,
    engine,
    figures,
    ...(isQueued && { checkQueues: () => (engine as DbosEngine).checkQueues() }),
  });
  terminal.error(`Health, readiness and metrics: ${health.address}\n`);
  return health;
}

async function definitionOf(named: string, cwd: string): Promise<RunnableDefinition> {
  const [file = '', name = 'default'] = named.split('#');
  const path = resolve(cwd, file);
  if (!isThere(path)) throw new UsageError(`There is no file ${file}, which --module names.`, { command: 'worker' });
  const module = (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  const definition = module[name] as Partial<RunnableDefinition> | undefined;
  if (typeof definition?.execute === 'function' && typeof definition.name === 'string')
    return definition as RunnableDefinition;
  throw new UsageError(`${named} is not a definition of a run: it needs an export with name, version and execute.`);
}
