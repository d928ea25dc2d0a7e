import type { StoreEngine } from 'fullstop/engines/sqlite';
import { type JournalVerdict, verifyJournal } from 'fullstop/journal';
import { defineCommand } from '../../command-line/command.js';
import { exitCodes } from '../../command-line/exit-code.js';
import { UsageError } from '../../command-line/usage-error.js';
import { localTime } from '../../journal/value-text.js';
import { findRun } from '../../store/find-run.js';
import { matchingRuns } from '../../store/matching-runs.js';
import { withStore } from '../../store/open-store.js';
import { noFilter } from '../../store/run-filter-options.js';
import { makeProgress } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';

export const command = defineCommand({
  name: 'verify',
  summary: 'Checks that the journal of a run is whole and unchanged',
  operands: '[RUN]',
  arity: [0, 1],
  options: {
    all: { type: 'flag', about: 'Checks every run in the store, and the file itself' },
    head: {
      type: 'text',
      value: 'HASH',
      about: 'The head hash of an ending that was kept elsewhere: with it the journal is proved',
    },
    json: { type: 'flag', about: 'One verdict a line as JSON' },
  },
  notes: [
    'consistent: nothing contradicts anything: every finished segment has one ending, which is its last entry, segments follow each other, nothing follows a final ending, hashes and large values fit, and the tables beside the journal say the same. proved: the same, and the journal is the one that the head hash was made of.',
    'Exit code 1 when a journal or the file is broken.',
  ],
  examples: ['fullstop verify r_8fk2', 'fullstop verify r_8fk2 --head 9f2c…', 'fullstop verify --all'],
  run: (invocation) =>
    withStore(invocation, 'read', async ({ engine }) => {
      const { options, positionals, terminal } = invocation;
      if (options.all && (positionals.length > 0 || options.head !== undefined))
        throw new UsageError('--all checks every run; leave out RUN and --head.', { command: 'verify' });
      if (options.all) return verifyAll(engine, options.json, terminal);
      const runId = await named(engine, positionals[0]);
      const verdict = await verdictOn(engine, runId, options.head);
      if (options.json) terminal.data(`${JSON.stringify({ runId, ...verdict })}\n`);
      else terminal.out(`${verdictText(runId, verdict)}\n`);
      return isBad(verdict) ? exitCodes.fatal : exitCodes.succeeded;
    }),
});

type Verdict =
  | JournalVerdict
  | { readonly verdict: 'erased'; readonly at: number; readonly entries: number; readonly by?: string };

/** The id of a run; one that was erased is no longer in any list. */
async function named(engine: StoreEngine, name: string | undefined): Promise<string> {
  if (name !== undefined && (await engine.verify(name)).status === 'erased') return name;
  return (await findRun(engine, name)).runId;
}

async function verdictOn(engine: StoreEngine, runId: string, head: string | undefined): Promise<Verdict> {
  // The store checks what is stored; the journal is then read as whoever relies on it would.
  const stored = await engine.verify(runId, head);
  if (stored.status === 'erased')
    return {
      verdict: 'erased',
      at: stored.at,
      entries: stored.entries,
      ...(stored.by !== undefined && { by: stored.by }),
    };
  if (stored.status === 'broken') return { verdict: 'broken', seq: stored.seq, reason: stored.reason };
  return verifyJournal(await engine.journal(runId), head === undefined ? {} : { head });
}

async function verifyAll(engine: StoreEngine, json: boolean, terminal: Terminal): Promise<number> {
  const progress = makeProgress(terminal, 'verifying');
  const counts = { checked: 0, broken: 0 };
  const findings = await engine.check();
  for (const finding of findings) terminal.out(json ? `${JSON.stringify({ finding })}\n` : `the file: ${finding}\n`);
  for await (const { runId } of matchingRuns(engine, noFilter)) {
    const verdict = await verdictOn(engine, runId, undefined);
    counts.checked += 1;
    counts.broken += isBad(verdict) ? 1 : 0;
    if (json) terminal.data(`${JSON.stringify({ runId, ...verdict })}\n`);
    else if (isBad(verdict)) terminal.out(`${verdictText(runId, verdict)}\n`);
    progress.show(`${counts.checked} runs`);
  }
  progress.clear();
  if (!json)
    terminal.out(
      `${counts.checked} runs, ${counts.broken} broken${findings.length === 0 ? '' : '; the file is damaged'}\n`,
    );
  return counts.broken + findings.length === 0 ? exitCodes.succeeded : exitCodes.fatal;
}

function isBad({ verdict }: Verdict): boolean {
  return verdict === 'broken';
}

function verdictText(runId: string, verdict: Verdict): string {
  switch (verdict.verdict) {
    case 'consistent':
      return `${runId}: consistent, ${verdict.entries} entries${verdict.head === undefined ? '' : `, head ${verdict.head}`}. Keep the head elsewhere to be able to prove it.`;
    case 'proved':
      return `${runId}: proved, entries 1 to ${verdict.upTo} of ${verdict.entries} are those that led to the head.`;
    case 'erased':
      return `${runId}: erased on ${localTime(verdict.at)}${verdict.by === undefined ? '' : ` by ${verdict.by}`}; ${verdict.entries} entries are gone on purpose.`;
    case 'broken':
      return `${runId}: broken at entry ${verdict.seq}: ${verdict.reason}`;
    default:
      return runId;
  }
}
