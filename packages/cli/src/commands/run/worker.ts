import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { handleSignals } from 'fullstop';
import type { RunnableDefinition } from 'fullstop/engine';
import { deliverNotices } from 'fullstop/notices';
import type { Workflow } from 'fullstop/workflow';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { finishWith, leaveSignals } from '../../command-line/signal-gate.js';
import { UsageError } from '../../command-line/usage-error.js';
import { type WorkerMark, workerMark } from '../../detached/worker-mark.js';
import { withStore } from '../../store/open-store.js';
import { modelChoice } from '../../workflow/model-choice.js';
import { modelOptions, modelsFor } from '../../workflow/model-options.js';
import { rememberedFolder } from '../../workflow/remembered-folder.js';
import { WorkflowWorker } from '../../workflow/workflow-worker.js';

const graceMs = 10_000;
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
    'until-idle': { type: 'flag', about: 'Stops by itself when nothing is left to do' },
    alone: {
      type: 'flag',
      about:
        'Stops at once if such a worker is there already, and otherwise stays while runs sleep; run --detach starts it',
    },
    ...modelOptions,
  },
  notes: [
    'Runs of workflow files need nothing else: their files are stored with them. On a signal, running steps finish and the rest is left to other workers.',
  ],
  examples: ['fullstop worker', 'fullstop worker --concurrency 8 --module ./agents.mjs#deployer'],
  run: (invocation) =>
    withStore(invocation, 'make', async ({ engine, loaded, location }) => {
      const { options, terminal, env, cwd } = invocation;
      const mark = options.alone ? workerMark(location.file) : undefined;
      if (mark?.set() === false) return exitCodes.succeeded;
      const definitions = await Promise.all(options.module.map((named) => definitionOf(named, cwd)));
      const { workflowOfRun } = await import('fullstop/workflow');
      const workflowOf = async (runId: string): Promise<Workflow> => {
        const journal = await engine.journal(runId);
        const choice = modelChoice(options, journal, cwd);
        const folder = rememberedFolder(journal) ?? cwd;
        const models = await modelsFor({ options: choice, config: loaded.config, env, cwd: folder, journal });
        return workflowOfRun(engine, runId, models);
      };
      const worker = new WorkflowWorker({
        engine,
        definitions,
        concurrency: options.concurrency ?? 4,
        pollMs: 100,
        workflowOf,
        onRefused: (runId, { message }) => terminal.error(`${runId} cannot continue here: ${message}\n`),
        onFound: (name) => terminal.error(`Working on ${name}\n`),
      });
      leaveSignals();
      const handling = handleSignals({
        policy: 'park',
        graceMs,
        worker: { stop: (grace = graceMs) => worker.stop(grace) },
      });
      worker.start();
      const delivery = loaded.config.onEnding && deliverNotices(engine, { targets: loaded.config.onEnding });
      delivery?.start();
      terminal.error(`Waiting for runs in ${invocation.options.store ?? 'the store'}. Ctrl-C stops.\n`);
      const idle = options['until-idle']
        ? untilIdle({ worker, mark, store: location.file })
        : new Promise<never>(() => undefined);
      await Promise.race([handling.stopped, idle]);
      mark?.clear();
      await worker.stop(graceMs);
      await delivery?.stop();
      finishWith(exitCodes.succeeded);
      handling.dispose();
      return exitCodes.succeeded;
    }),
});

interface Leaving {
  readonly worker: WorkflowWorker;
  readonly mark: WorkerMark | undefined;
  /** The file of the store. */
  readonly store: string;
}

/**
 * Settles when nothing was left to do several times in a row. A worker that others rely on says first that it leaves, and then looks once
 * more: whoever made something ready before has seen it there, and whoever comes after starts another.
 */
async function untilIdle({ worker, mark, store }: Leaving): Promise<void> {
  const isIdle = (): Promise<boolean> => worker.isIdle({ sleepers: mark !== undefined });
  for (let quiet = 0; ; ) {
    await new Promise((resume) => setTimeout(resume, idleLookMs));
    // Nobody can find what would be written to a file that was removed.
    if (!existsSync(store)) return;
    quiet = (await isIdle()) ? quiet + 1 : 0;
    if (quiet < idleChecks) continue;
    mark?.clear();
    if (mark === undefined || (await isIdle()) || !mark.set()) return;
    quiet = 0;
  }
}

async function definitionOf(named: string, cwd: string): Promise<RunnableDefinition> {
  const [file = '', name = 'default'] = named.split('#');
  const module = (await import(pathToFileURL(resolve(cwd, file)).href)) as Readonly<Record<string, unknown>>;
  const definition = module[name] as Partial<RunnableDefinition> | undefined;
  if (typeof definition?.execute === 'function' && typeof definition.name === 'string')
    return definition as RunnableDefinition;
  throw new UsageError(`${named} is not a definition of a run: it needs an export with name, version and execute.`);
}
