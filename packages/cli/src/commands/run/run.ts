import type { JsonObject } from 'fullstop';
import type { Workflow } from 'fullstop/workflow';
import { userName } from '../../answer/user-name.js';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionTable } from '../../command-line/option.js';
import { UsageError } from '../../command-line/usage-error.js';
import type { DetachedStart } from '../../detached/detach-run.js';
import { givenInputs } from '../../inputs/given-inputs.js';
import { inputOptions } from '../../inputs/input-options.js';
import { type RetryPolicy, readRetryPolicy } from '../../retry/retry-policy.js';
import { type Store, withStore } from '../../store/open-store.js';
import { harmless } from '../../terminal/foreign-text.js';
import { finishRun } from '../../workflow/finish-run.js';
import { followRun, type Segment } from '../../workflow/follow-run.js';
import { modelChoice, rememberedChoice } from '../../workflow/model-choice.js';
import { modelsFor, sealedVariables } from '../../workflow/model-options.js';
import { newRunId } from '../../workflow/new-run-id.js';
import { resumeOptions } from '../../workflow/resume-options.js';
import { runningOptions } from '../../workflow/run-options.js';
import { confineOption, shownDocument } from '../../workflow/shown-document.js';
import { shownPath, workflowFile } from '../../workflow/workflow-file.js';

const options = {
  ...inputOptions,
  'run-id': {
    type: 'text',
    value: 'ID',
    about: 'The id of the run; a run of that id is joined instead of started twice',
  },
  'skip-gates': { type: 'flag', about: 'Takes the first option of every gate and the default of every question' },
  'max-iterations': { type: 'number', value: 'N', about: 'The limit of steps, instead of the one in the file' },
  lenient: { type: 'flag', about: 'Runs what the reference would run: only errors of the schema stop it' },
  confine: confineOption,
  detach: { type: 'flag', about: 'Leaves the run to a worker, which is started if none is there, and prints its id' },
  web: { type: 'flag', about: 'Also shows the run in the browser, while it runs and after' },
  'dry-run': { type: 'flag', about: 'Shows what would run, and every way it can end' },
  ...runningOptions,
} as const satisfies OptionTable;

export const command = defineCommand({
  name: 'run',
  summary: 'Runs a workflow file and says how it ended',
  operands: 'FILE',
  arity: [1, 1],
  options,
  notes: [
    'The result is the only thing on stdout; progress, questions and the ending go to stderr.',
    'Exit codes: 0 succeeded or skipped, 1 fatal, 2 usage or invalid file (nothing was started), 3 a limit, 4 worth another try, 5 waits for an answer, 6 cancelled, 129, 130 and 143 stopped by SIGHUP, SIGINT and SIGTERM.',
    'A retry policy is auto (three attempts where that may help), or a YAML or JSON file: retryable: {attempts, backoff, longest} and capacity: {factor, max_iterations, tokens, cost, timeout}, where limits are raised up to these ceilings. Fatal endings are never tried again.',
  ],
  examples: [
    'fullstop run triage.yaml -i ticket=4711',
    'fullstop run triage.yaml -i ticket=4711 --detach',
    'fullstop run triage.yaml --scripted triage.script.yaml -i ticket=4711 | jq .reply',
    'fullstop run triage.yaml -p openai -m gpt-5 --retry-policy auto',
  ],
  run: async (invocation) => {
    const { options: given, env, cwd, loaded } = invocation;
    const file = workflowFile(invocation.positionals[0] ?? '', cwd);
    const policy = given['retry-policy'] === undefined ? undefined : await readRetryPolicy(given['retry-policy'], cwd);
    const { loadWorkflow } = await import('fullstop/workflow');
    const choice = modelChoice(given, [], cwd);
    const models = await modelsFor({ options: choice, config: loaded.config, env, cwd });
    const workflow = loadWorkflow(file, {
      ...models,
      ...(given.lenient && { lenient: true }),
      ...(given.confine && { confine: true }),
    });
    warn(workflow, invocation);
    warnOfTools(workflow, invocation);
    if (given['dry-run']) return dryRun(workflow, invocation);
    const start: Start = {
      workflow,
      inputs: await givenInputs(workflow, invocation),
      runId: given['run-id'] ?? newRunId(),
      remember: rememberedChoice(choice),
      policy,
    };
    return withStore(invocation, 'make', (store) =>
      given.detach ? leave(store, start, invocation) : execute(store, start, invocation),
    );
  },
});

interface Start {
  readonly workflow: Workflow;
  readonly inputs: string;
  readonly runId: string;
  readonly remember: JsonObject;
  readonly policy: RetryPolicy | undefined;
}

/** The options of the start that the command line has. */
function startOptions({ runId }: Start, { options: given }: RunInvocation): DetachedStart['options'] {
  return {
    runId,
    ...(given['max-iterations'] !== undefined && { maxIterations: given['max-iterations'] }),
    skipGates: given['skip-gates'],
  };
}

/** Runs it here, to its ending. */
async function execute(store: Store, start: Start, invocation: RunInvocation): Promise<number> {
  const { workflow, inputs, runId, remember, policy } = start;
  const { options: given, terminal, env } = invocation;
  const page = given.web ? await showRun(store, runId, invocation) : undefined;
  const followed = await followRun({
    store,
    terminal,
    workflow,
    first: (segment) => workflow.run(inputs, { ...firstOf(segment), ...startOptions(start, invocation) }),
    next: (id, segment) => workflow.resume(id, resumeOptions(segment)),
    policy,
    asks: terminal.isInteractive && !given['no-input'],
    quiet: given.quiet,
    remember,
    by: userName(env),
  });
  const code = await finishRun(followed, store, invocation);
  await page?.afterRun();
  return code;
}

function firstOf({ engine, onEntry }: Segment): Pick<Segment, 'engine' | 'onEntry'> {
  return { engine, onEntry };
}

/** Leaves it to a worker: what is printed is its id. */
async function leave(store: Store, start: Start, invocation: RunInvocation): Promise<number> {
  const { options: given, terminal, env, cwd } = invocation;
  if (given.web) throw new UsageError('--web shows a run that is executed here. With --detach: fullstop dashboard.');
  if (given['retry-policy'] !== undefined)
    throw new UsageError('--retry-policy needs someone who follows the run. Leave out --detach.');
  const [{ detachRun }, { ensureWorker }, { workerNeed }] = await Promise.all([
    import('../../detached/detach-run.js'),
    import('../../detached/ensure-worker.js'),
    import('../../detached/worker-need.js'),
  ]);
  await detachRun(store, { ...start, options: startOptions(start, invocation), cwd });
  if (given.json) terminal.data(`${JSON.stringify({ runId: start.runId })}\n`);
  else terminal.out(`${start.runId}\n`);
  const need = workerNeed(store, { cwd, env });
  const executor =
    (await ensureWorker(need, [start.runId])) === 'queued'
      ? `It waits for a worker of its queue: fullstop worker --queue ${['fullstop', ...need.queues].join(' --queue ')}.`
      : 'A worker executes it.';
  if (!given.quiet) terminal.error(`${executor} To watch it: fullstop events ${start.runId} --follow\n`);
  return exitCodes.succeeded;
}

/** Shows the run in the browser; after it, for as long as someone watches the terminal. */
async function showRun(
  store: Store,
  runId: string,
  invocation: RunInvocation,
): Promise<{ readonly afterRun: () => Promise<void> }> {
  const { terminal } = invocation;
  const [{ showRuns }, { openBrowser }] = await Promise.all([
    import('../../dashboard/show-runs.js'),
    import('../../dashboard/open-browser.js'),
  ]);
  const dashboard = await showRuns(store, invocation, { run: runId });
  terminal.error(`${dashboard.url}\n`);
  if (terminal.isInteractive) openBrowser(dashboard.url);
  return {
    afterRun: async () => {
      if (terminal.isInteractive) {
        terminal.error('The page stays open until Ctrl-C.\n');
        await new Promise((resolve) => process.once('SIGINT', resolve));
      }
      await dashboard.close();
    },
  };
}

type RunInvocation = Invocation<typeof options>;

async function dryRun({ loaded: { file } }: Workflow, invocation: RunInvocation): Promise<number> {
  const { terminal, options: given, env, loaded } = invocation;
  const { analyzeWorkflow, describeAnalysis } = await import('fullstop/workflow');
  const { lenient, confine } = given;
  const shown = await shownDocument({ file, env, lenient, confine, ...sealedVariables(loaded.config, env) });
  if (shown === undefined) throw new UsageError(`${file} has changed while it was read. Try again.`);
  const analysis = analyzeWorkflow(shown);
  if (given.json) terminal.data(`${JSON.stringify(analysisJson(analysis), null, 2)}\n`);
  else terminal.out(`${describeAnalysis(analysis)}\n`);
  return exitCodes.succeeded;
}

/** Maps of the graph as objects. */
function analysisJson(analysis: { readonly graph: { readonly units: ReadonlyMap<string, unknown> } }): object {
  return { ...analysis, graph: { ...analysis.graph, units: [...analysis.graph.units.keys()] } };
}

function warn({ loaded: { warnings } }: Workflow, { terminal, options: given, cwd }: RunInvocation): void {
  if (given.quiet) return;
  for (const { file, line, column, message } of warnings)
    terminal.error(
      `${terminal.errorStyle.yellow('warning')} ${shownPath(file, cwd)}:${line}:${column}: ${harmless(message)}\n`,
    );
}

/** The program has no tools of its own: what no MCP server offers, the agents have to do without. */
function warnOfTools({ document, loaded }: Workflow, { terminal, options: given, cwd }: RunInvocation): void {
  const { tools, workflow } = document;
  if (given.quiet || tools.length === 0 || workflow.runtime.mcp_servers.size > 0) return;
  const { file, line, column } = loaded.locate(['tools']);
  terminal.error(
    `${terminal.errorStyle.yellow('warning')} ${shownPath(file, cwd)}:${line}:${column}: agents run without ${tools.map(harmless).join(', ')}: tools come from mcp_servers, of which the file names none\n`,
  );
}
