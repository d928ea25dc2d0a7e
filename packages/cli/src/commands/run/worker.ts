import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { handleSignals } from 'fullstop';
import type { RunnableDefinition } from 'fullstop/engine';
import { deliverNotices } from 'fullstop/notices';
import type { Workflow } from 'fullstop/workflow';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { withStore } from '../../store/open-store.js';
import { modelChoice } from '../../workflow/model-choice.js';
import { modelOptions, modelsFor } from '../../workflow/model-options.js';
import { WorkflowWorker } from '../../workflow/workflow-worker.js';

const graceMs = 10_000;
const idleChecks = 3;

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
    ...modelOptions,
  },
  notes: [
    'Runs of workflow files need nothing else: their files are stored with them. On a signal, running steps finish and the rest is left to other workers.',
  ],
  examples: ['fullstop worker', 'fullstop worker --concurrency 8 --module ./agents.mjs#deployer'],
  run: (invocation) =>
    withStore(invocation, 'make', async ({ engine, loaded }) => {
      const { options, terminal, env, cwd } = invocation;
      const definitions = await Promise.all(options.module.map((named) => definitionOf(named, cwd)));
      const { workflowOfRun } = await import('fullstop/workflow');
      const workflowOf = async (runId: string): Promise<Workflow> => {
        const journal = await engine.journal(runId);
        const choice = modelChoice(options, journal, cwd);
        const models = await modelsFor({ options: choice, config: loaded.config, env, cwd, journal });
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
      const handling = handleSignals({
        policy: 'park',
        graceMs,
        worker: { stop: (grace = graceMs) => worker.stop(grace) },
      });
      worker.start();
      const delivery = loaded.config.onEnding && deliverNotices(engine, { targets: loaded.config.onEnding });
      delivery?.start();
      terminal.error(`Waiting for runs in ${invocation.options.store ?? 'the store'}. Ctrl-C stops.\n`);
      const idle = options['until-idle'] ? untilIdle(engine) : new Promise<never>(() => undefined);
      await Promise.race([handling.stopped, idle]);
      await worker.stop(graceMs);
      await delivery?.stop();
      handling.dispose();
      return exitCodes.succeeded;
    }),
});

/** Settles when nothing was ready or running several times in a row. */
async function untilIdle(engine: {
  list(filter: { state: 'ready' | 'running'; limit: number }): Promise<{ readonly runs: readonly unknown[] }>;
}): Promise<void> {
  for (let quiet = 0; quiet < idleChecks; ) {
    await new Promise((resume) => setTimeout(resume, 300));
    const [ready, running] = await Promise.all([
      engine.list({ state: 'ready', limit: 1 }),
      engine.list({ state: 'running', limit: 1 }),
    ]);
    quiet = ready.runs.length + running.runs.length === 0 ? quiet + 1 : 0;
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
