import type { Engine } from 'fullstop/engine';
import type { JournalEntry } from 'fullstop/journal';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { findRun } from '../../store/find-run.js';
import { withStore } from '../../store/open-store.js';
import type { Terminal } from '../../terminal/terminal.js';

const pageSize = 500;
const pollMs = 200;

export const command = defineCommand({
  name: 'events',
  summary: 'Prints the journal of a run as JSON, one entry a line',
  operands: '[RUN]',
  arity: [0, 1],
  options: {
    follow: { type: 'flag', short: 'f', about: 'Keeps printing until the run has ended' },
    after: { type: 'number', value: 'SEQ', about: 'Only entries after this number' },
    type: { type: 'list', value: 'TYPE', about: 'Only entries or events of this type; may be given several times' },
    format: {
      type: 'text',
      value: 'FORMAT',
      choices: ['journal', 'conductor'],
      about: "journal, or conductor for the events of Conductor's own log",
    },
  },
  examples: [
    'fullstop events last --follow',
    'fullstop events r_8fk2 --type observed',
    'fullstop events r_8fk2 --format conductor',
  ],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine }) => {
      const { options, positionals, terminal } = invocation;
      const { runId } = await findRun(engine, positionals[0]);
      const types = new Set(options.type);
      if (options.format === 'conductor') {
        if (options.follow || options.after !== undefined)
          throw new UsageError('--follow and --after count entries of the journal; leave --format conductor out.');
        return conductor(engine, { runId, types }, terminal);
      }
      return print(engine, { runId, after: options.after ?? 0, types, follow: options.follow }, terminal);
    }),
});

interface Wanted {
  readonly runId: string;
  readonly after: number;
  /** All when there are none. */
  readonly types: ReadonlySet<string>;
  readonly follow: boolean;
}

async function print(engine: Engine, { runId, after, types, follow }: Wanted, terminal: Terminal): Promise<number> {
  const found = new Set<string>();
  for (let last = after; ; ) {
    const entries = await engine.journal(runId, { after: last, limit: pageSize });
    const wanted = types.size === 0 ? entries : entries.filter(({ type }) => types.has(type));
    terminal.data(wanted.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    noteTypes(entries, found);
    last = entries.at(-1)?.seq ?? last;
    if (entries.length === pageSize) continue;
    if (terminal.isBroken || !follow || (await hasEnded(engine, runId, last))) {
      terminal.error(missingTypes(types, found));
      return exitCodes.succeeded;
    }
    if ((await engine.summary(runId))?.orphaned === true) {
      terminal.error(
        `The owner of ${runId} is gone, and nobody executes it. To continue it: fullstop resume ${runId}\n`,
      );
      return exitCodes.retryable;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function noteTypes(entries: readonly JournalEntry[], found: Set<string>): void {
  for (const { type } of entries) found.add(type);
}

/** A misspelt type would otherwise look like a run without such entries. */
function missingTypes(wanted: ReadonlySet<string>, found: ReadonlySet<string>): string {
  if (wanted.size === 0 || [...wanted].some((type) => found.has(type))) return '';
  return `No entry has the type ${[...wanted].join(' or ')}; those that were read have ${[...found].join(', ') || 'none'}.\n`;
}

/** True when the run has an ending and everything up to it was printed. */
async function hasEnded(engine: Engine, runId: string, after: number): Promise<boolean> {
  if ((await engine.ending(runId)) === undefined) return false;
  return (await engine.journal(runId, { after, limit: 1 })).length === 0;
}

async function conductor(
  engine: Engine,
  { runId, types }: Pick<Wanted, 'runId' | 'types'>,
  terminal: Terminal,
): Promise<number> {
  const { conductorEvents } = await import('fullstop/workflow');
  const journal: readonly JournalEntry[] = await engine.journal(runId);
  for (const event of conductorEvents(journal))
    if (types.size === 0 || types.has(event.type)) terminal.data(`${JSON.stringify(event)}\n`);
  return exitCodes.succeeded;
}
