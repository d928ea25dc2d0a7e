import type { DbosEngine, Schedule } from 'fullstop/engines/dbos';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionTable } from '../../command-line/option.js';
import { UsageError } from '../../command-line/usage-error.js';
import { givenInputs } from '../../inputs/given-inputs.js';
import { inputOptions } from '../../inputs/input-options.js';
import { withSchedules } from '../../store/open-schedules.js';
import { harmless } from '../../terminal/foreign-text.js';
import type { Terminal } from '../../terminal/terminal.js';
import { leaveToWorker } from '../../workflow/leave-to-worker.js';
import { modelChoice, rememberedChoice } from '../../workflow/model-choice.js';
import { modelOptions, modelsFor } from '../../workflow/model-options.js';
import { rememberFolder } from '../../workflow/remembered-folder.js';
import { workflowFile } from '../../workflow/workflow-file.js';

const options = {
  ...inputOptions,
  cron: {
    type: 'text',
    value: 'CRON',
    about: 'When: minute, hour, day, month and weekday, or six fields with seconds in front; also @hourly, @daily, …',
  },
  name: { type: 'text', value: 'NAME', about: 'The name of the schedule; that of the workflow unless given' },
  timezone: { type: 'text', value: 'ZONE', about: 'Whose clock counts, such as Europe/Berlin; UTC unless given' },
  'run-missed': { type: 'flag', about: 'Also starts the runs of ticks at which no worker was there' },
  quiet: { type: 'flag', short: 'q', about: 'Says nothing besides the name' },
  json: { type: 'flag', about: 'list: one schedule a line as JSON' },
  ...modelOptions,
} as const satisfies OptionTable;

type ScheduleInvocation = Invocation<typeof options>;

export const command = defineCommand({
  name: 'schedule',
  summary: 'Starts runs of a workflow file at set times',
  operands: 'add FILE | list | remove NAME',
  arity: [1, 2],
  options,
  notes: [
    'Schedules need a store on Postgres and a worker that takes runs from queues: fullstop worker --queue fullstop. The workflow is stored as it is now, with its files and inputs; the same name again changes a schedule. The run of a tick has the id NAME-TIME, such as nightly-20261118T020000Z, and is started once, however many workers there are.',
    'A tick at which no worker is there is skipped, unless --run-missed was given: then the next worker starts a run for each.',
  ],
  examples: [
    "fullstop schedule add report.yaml --cron '30 6 * * 1-5' --timezone Europe/Berlin -i topic=news",
    'fullstop schedule list',
    'fullstop schedule remove report',
  ],
  run: async (invocation) => {
    const [action, operand] = invocation.positionals;
    if (action === 'list' && operand === undefined)
      return withSchedules(invocation, (engine) => list(engine, invocation));
    if (action === 'add' && operand !== undefined) return add(operand, invocation);
    if (action === 'remove' && operand !== undefined)
      return withSchedules(invocation, (engine) => remove(engine, operand, invocation));
    throw new UsageError(
      `schedule ${invocation.positionals.map(harmless).join(' ')} is not known. Use schedule add FILE --cron CRON, schedule list, or schedule remove NAME.`,
      { command: 'schedule' },
    );
  },
});

async function add(named: string, invocation: ScheduleInvocation): Promise<number> {
  const { options: given, terminal, env, cwd, loaded } = invocation;
  const { cron, name, timezone } = given;
  if (cron === undefined)
    throw new UsageError("When? Name it with --cron, such as --cron '30 6 * * 1-5'.", { command: 'schedule' });
  const { loadWorkflow } = await import('fullstop/workflow');
  const choice = modelChoice(given, [], cwd);
  const models = await modelsFor({ options: choice, config: loaded.config, env, cwd });
  const workflow = loadWorkflow(workflowFile(named, cwd), models);
  const input = await givenInputs(workflow, invocation);
  const remember = { ...rememberedChoice(choice), ...rememberFolder(cwd) };
  const definition: Parameters<DbosEngine['schedule']>[0] = {
    name: workflow.name,
    run: (_, { engine }) => leaveToWorker(engine, remember, (opening) => workflow.run(input, { engine: opening })),
  };
  const made = await withSchedules(invocation, (engine) =>
    engine.schedule(definition, {
      cron,
      input,
      missed: given['run-missed'] ? 'run' : 'skip',
      ...(name !== undefined && { name }),
      ...(timezone !== undefined && { timezone }),
    }),
  );
  terminal.out(`${made.name}\n`);
  if (!given.quiet)
    terminal.error(`Next: ${shownTime(made.nextAt)}. Its runs need a worker: fullstop worker --queue fullstop\n`);
  return exitCodes.succeeded;
}

async function list(engine: DbosEngine, { options: given, terminal }: ScheduleInvocation): Promise<number> {
  const schedules = await engine.schedules();
  if (given.json) for (const each of schedules) terminal.data(`${JSON.stringify(shown(each))}\n`);
  else if (schedules.length === 0) terminal.error('No schedules.\n');
  else printTable(schedules, terminal);
  return exitCodes.succeeded;
}

/** The input of a workflow holds its files. */
function shown({ input: _, ...schedule }: Schedule): Omit<Schedule, 'input'> {
  return schedule;
}

function printTable(schedules: readonly Schedule[], terminal: Terminal): void {
  const heading = ['name', 'workflow', 'cron', 'timezone', 'last', 'next'];
  const rows = schedules.map(({ name, run, cron, timezone, lastAt, nextAt, paused }) =>
    [name, run.name, cron, timezone, shownTime(lastAt), paused ? 'paused' : shownTime(nextAt)].map(harmless),
  );
  const widths = heading.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  for (const row of [heading, ...rows])
    terminal.out(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

function shownTime(at: number | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().replace('.000Z', 'Z');
}

async function remove(engine: DbosEngine, name: string, { terminal }: ScheduleInvocation): Promise<number> {
  if (await engine.unschedule(name)) {
    terminal.error(`${harmless(name)} is removed. Runs that it started continue.\n`);
    return exitCodes.succeeded;
  }
  const names = (await engine.schedules()).map((each) => harmless(each.name));
  throw new UsageError(
    `There is no schedule ${harmless(name)}; ${names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`}.`,
    { command: 'schedule' },
  );
}
