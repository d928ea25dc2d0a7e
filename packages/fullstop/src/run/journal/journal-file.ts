import type { Engine } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { FullstopError, type ValueIssue } from '../../termination/errors/fullstop-error.js';
import { readEntry } from './read-entry.js';
import { type VerifyJournalOptions, verifyJournal } from './verify-journal.js';

const entriesPerPage = 500;

/**
 * The journal of a run as lines of JSON, one entry each, without line breaks at their ends. The text of the data is the
 * text as stored, so hashes still fit. Only an engine with a payload codec returns its entries decoded and without hashes,
 * because those are hashes of what the codec made of them.
 */
export async function* exportJournal(engine: Engine, runId: string): AsyncGenerator<string, void, undefined> {
  for (let after = 0; ; ) {
    const page = await engine.journal(runId, { after, limit: entriesPerPage });
    if (after === 0 && page.length === 0) {
      throw new FullstopError(
        'RUN_NOT_FOUND',
        `There is no run ${JSON.stringify(runId)} on the ${engine.name} engine.`,
      );
    }
    for (const entry of page) yield lineOf(entry, engine.encoded !== true);
    const last = page.at(-1);
    if (last === undefined || page.length < entriesPerPage) return;
    after = last.seq;
  }
}

function lineOf(entry: JournalEntry, withHash: boolean): string {
  const { runId, segment, seq, scope, ordinal, at, type, key, data, hash } = entry;
  return JSON.stringify({
    runId,
    segment,
    seq,
    scope,
    ordinal,
    at,
    type,
    key,
    data,
    hash: withHash ? hash : undefined,
  });
}

/** The result of an import. */
export interface JournalImport {
  readonly status: 'imported' | 'exists';
  readonly runId: string;
  readonly entries: number;
}

/** Imports a journal from lines of JSON. If anything is wrong with any line, nothing is imported. */
export async function importJournal(
  engine: Engine,
  lines: Iterable<string> | AsyncIterable<string>,
  options: VerifyJournalOptions = {},
): Promise<JournalImport> {
  const entries: JournalEntry[] = [];
  const lineNumbers: number[] = [];
  const issues: ValueIssue[] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const entry = readEntry(text);
    if (typeof entry === 'string') issues.push({ code: 'invalid', path: `line ${line}`, message: entry });
    else entries.push(entry);
    lineNumbers.push(line);
  }
  refuse(issues);
  const verdict = await verifyJournal(entries, options);
  if (verdict.verdict === 'broken') {
    const path = `line ${lineNumbers[verdict.seq - 1] ?? line}`;
    refuse([{ code: 'invalid', path, message: verdict.reason }]);
  }
  const status = await engine.importRun(entries);
  return { status, runId: entries[0]?.runId ?? '', entries: entries.length };
}

function refuse(issues: readonly ValueIssue[]): void {
  if (issues.length === 0) return;
  const shown = issues.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const more = issues.length > shown.length ? `; ${issues.length - shown.length} more lines are wrong` : '';
  throw new FullstopError('INVALID_JOURNAL', `Nothing was imported. ${shown.join('; ')}${more}.`, { issues });
}
