import type { Engine, RunFilter, RunSummary } from 'fullstop/engine';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { leaveSignals } from '../../command-line/signal-gate.js';
import { type ListedRun, runsTable } from '../../render/runs-table.js';
import { NoStore, withStore } from '../../store/open-store.js';
import { runFilter, runFilterOptions } from '../../store/run-filter-options.js';
import type { Terminal } from '../../terminal/terminal.js';

const usualCount = 20;
const watchMs = 1000;

export const command = defineCommand({
  name: 'runs',
  summary: 'Lists runs, newest first',
  operands: '',
  arity: [0, 0],
  options: {
    ...runFilterOptions,
    limit: { type: 'number', value: 'N', short: 'n', about: `How many; ${usualCount} unless given, at most 1000` },
    children: { type: 'flag', about: 'Also shows the runs that each run spawned, below it' },
    watch: { type: 'flag', about: 'Refreshes the list every second, until Ctrl-C' },
    json: { type: 'flag', about: 'One run a line as JSON' },
    ids: { type: 'flag', about: 'Only the ids, one a line' },
  },
  examples: [
    'fullstop runs --category capacity --since 2d',
    'fullstop runs -w triage -s refund',
    'fullstop runs --conversation chat-1',
    'fullstop runs --kind app.reconciled --ids | xargs -n1 fullstop why',
  ],
  run: async (invocation) => {
    const { options, terminal } = invocation;
    try {
      return await withStore(invocation, 'read', async ({ engine }) => {
        const limit = Math.min(Math.max(Math.trunc(options.limit ?? usualCount), 1), 1000);
        const look = async (): Promise<Listing> => {
          const filter = { ...runFilter(options, Date.now()), limit };
          return options.children ? withChildren(engine, filter) : flat(engine, filter);
        };
        if (options.watch && terminal.outIsTerminal) return watch(look, terminal);
        print(await look(), options, terminal);
        return exitCodes.succeeded;
      });
    } catch (error) {
      if (!(error instanceof NoStore) || error.isNamed) throw error;
      terminal.error(`${error.message}\n`);
      return exitCodes.succeeded;
    }
  },
});

interface Listing {
  readonly runs: readonly ListedRun[];
  readonly hasMore: boolean;
}

async function flat(engine: Engine, filter: RunFilter): Promise<Listing> {
  const { runs, next } = await engine.list(filter);
  return { runs: runs.map((run) => ({ run, depth: 0 })), hasMore: next !== undefined };
}

async function withChildren(engine: Engine, filter: RunFilter): Promise<Listing> {
  const { runs, next } = await engine.list({ ...filter, roots: true });
  const below = async (run: RunSummary, depth: number): Promise<readonly ListedRun[]> => {
    const children = await engine.list({ parentRunId: run.runId, limit: 1000 });
    const listed = await Promise.all(children.runs.map((child) => below(child, depth + 1)));
    return [{ run, depth }, ...listed.flat()];
  };
  return { runs: (await Promise.all(runs.map((run) => below(run, 0)))).flat(), hasMore: next !== undefined };
}

function print(
  { runs, hasMore }: Listing,
  { json, ids }: { readonly json: boolean; readonly ids: boolean },
  terminal: Terminal,
): void {
  if (json) {
    for (const { run } of runs) terminal.data(`${JSON.stringify(run)}\n`);
  } else if (ids) {
    for (const { run } of runs) terminal.out(`${run.runId}\n`);
  } else if (runs.length === 0) {
    terminal.error('No runs.\n');
  } else {
    terminal.out(runsTable(runs, { style: terminal.outStyle, columns: terminal.outColumns, now: Date.now() }));
    if (hasMore) terminal.error(terminal.errorStyle.dim('There are more: raise --limit, or narrow the filters.\n'));
  }
}

/** Redraws the list until someone has seen enough. */
async function watch(look: () => Promise<Listing>, terminal: Terminal): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    leaveSignals();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  let isOver = false;
  const over = stopped.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const { runs } = await look();
    const rows = (process.stdout.rows ?? 24) - 2;
    const text = runsTable(runs.slice(0, Math.max(rows, 1)), {
      style: terminal.outStyle,
      columns: terminal.outColumns,
      now: Date.now(),
    });
    terminal.screen(text);
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      over,
      new Promise((resolve) => {
        timer = setTimeout(resolve, watchMs);
      }),
    ]);
    clearTimeout(timer);
  }
  return exitCodes.succeeded;
}
