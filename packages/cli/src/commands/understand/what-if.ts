import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StopCondition } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import { defineCommand, type Invocation } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import type { OptionValues } from '../../command-line/option.js';
import { UsageError } from '../../command-line/usage-error.js';
import { sweepSvg } from '../../render/sweep-svg.js';
import { sweepText, whatIfText } from '../../render/what-if-text.js';
import { findRun } from '../../store/find-run.js';
import { matchingRuns } from '../../store/matching-runs.js';
import { withStore } from '../../store/open-store.js';
import { runFilterOptions } from '../../store/run-filter-options.js';
import { makeProgress } from '../../terminal/progress.js';
import { conditionsOf, limitOptions, refuseSteering, steeringOptions } from '../../what-if/limit-options.js';
import { type RecordedRun, recordedRun } from '../../what-if/recorded-run.js';
import { readSweep, type Sweep, sweepLimits } from '../../what-if/sweep.js';
import { totalsOf, tryLimits } from '../../what-if/try-limits.js';

const options = {
  ...limitOptions,
  last: { type: 'number', value: 'N', about: 'The newest N runs that pass the filters, instead of runs by name' },
  sweep: { type: 'text', value: 'LIMIT=FROM..TO', about: 'Tries every value of a limit and shows the trade-off' },
  svg: { type: 'text', value: 'FILE', about: 'Also draws the trade-off of a sweep' },
  json: { type: 'flag', about: 'The trials as JSON' },
  ...runFilterOptions,
  ...steeringOptions,
} as const;

export const command = defineCommand({
  name: 'what-if',
  summary: 'Says where other limits would have ended recorded runs, and what they would have saved',
  operands: '[RUN...]',
  arity: [0, Number.POSITIVE_INFINITY],
  options,
  notes: [
    'Limits are folded over what was recorded, for any stored run and without its code. A limit can only be tried where it would have cut a run short; where the record ends before it, the run would have continued.',
  ],
  examples: [
    'fullstop what-if r_8fk2 --max-iterations 8',
    'fullstop what-if --last 100 --cost 0.5 -w triage',
    'fullstop what-if --last 200 --sweep max-iterations=5..40 --svg trade-off.svg',
  ],
  run: (invocation) => {
    refuseSteering(invocation.options);
    const sweep = invocation.options.sweep === undefined ? undefined : readSweep(invocation.options.sweep);
    const conditions = conditionsOf(invocation.options);
    check(invocation, sweep, conditions);
    return withStore(invocation, 'read', async ({ engine }) => {
      const runs = await recordedRuns(engine, invocation);
      if (sweep === undefined) printTrials(runs, conditions, invocation);
      else printSweep(runs, sweep, conditions, invocation);
      return exitCodes.succeeded;
    });
  },
});

type WhatIf = Invocation<typeof options>;

function check(
  { options: given, positionals }: WhatIf,
  sweep: Sweep | undefined,
  conditions: readonly StopCondition<string>[],
): void {
  const refuse = (message: string): never => {
    throw new UsageError(message, { command: 'what-if' });
  };
  if (sweep === undefined && conditions.length === 0)
    refuse('what-if needs a limit to try, such as --max-iterations 10, or a --sweep.');
  if (sweep !== undefined && given[sweep.name] !== undefined) refuse(`--${sweep.name} is swept already; leave it out.`);
  if (given.svg !== undefined && sweep === undefined) refuse('--svg draws a sweep: give --sweep LIMIT=FROM..TO too.');
  if (given.last !== undefined && positionals.length > 0)
    refuse('Name runs, or say how many of the newest with --last, not both.');
}

/** The runs that were named, or the newest that pass the filters; the newest of all when nothing is said. */
async function recordedRuns(
  engine: Engine,
  { options: given, positionals, terminal }: WhatIf,
): Promise<readonly RecordedRun[]> {
  const progress = makeProgress(terminal, 'reading');
  const runs: RecordedRun[] = [];
  const hasFilter = Object.keys(runFilterOptions).some(
    (name) => given[name as keyof OptionValues<typeof runFilterOptions>] !== undefined,
  );
  const many = given.last !== undefined || hasFilter;
  const named = positionals.length === 0 ? ['last'] : positionals;
  const chosen = many ? matchingRuns(engine, given, given.last) : named.map((name) => findRun(engine, name));
  for await (const { runId, name } of chosen) {
    const [entries, ending] = await Promise.all([engine.journal(runId), engine.ending(runId)]);
    runs.push(recordedRun(runId, name, entries, ending));
    progress.show(`${runs.length} runs`);
  }
  progress.clear();
  return runs;
}

function printTrials(
  runs: readonly RecordedRun[],
  conditions: readonly StopCondition<string>[],
  { options: given, terminal }: WhatIf,
): void {
  const trials = runs.map((run) => tryLimits(run, conditions));
  const totals = totalsOf(runs, trials);
  if (given.json) terminal.data(`${JSON.stringify({ trials, totals }, null, 2)}\n`);
  else terminal.out(whatIfText(trials, totals, terminal.outStyle));
}

function printSweep(
  runs: readonly RecordedRun[],
  sweep: Sweep,
  conditions: readonly StopCondition<string>[],
  { options: given, terminal, cwd }: WhatIf,
): void {
  const points = sweepLimits(runs, sweep, conditions);
  if (given.json) terminal.data(`${JSON.stringify({ sweep: sweep.name, points }, null, 2)}\n`);
  else terminal.out(sweepText(sweep, points, terminal.outStyle, terminal.outColumns));
  if (given.svg === undefined) return;
  const file = resolve(cwd, given.svg);
  writeFileSync(file, sweepSvg(sweep, points));
  terminal.error(`Drawn to ${file}\n`);
}
