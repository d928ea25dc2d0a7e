import type { CancelRequest, JournalEntry } from '../../packages/fullstop/src/engines/port/journal-entry.js';
import type { StoreEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { check, checkEqual } from '../../packages/fullstop/src/testing/check.js';
import { checkJournal } from '../../packages/fullstop/src/testing/check-journal.js';
import type { LogLine, Mark } from './effect-log.js';

export interface Counts {
  readonly runs: number;
  readonly entries: number;
  readonly segments: number;
  readonly closed: number;
  readonly effects: number;
  /** Effects that were performed again because their first outcome was never committed. */
  readonly repeated: number;
  readonly onceSteps: number;
  /** Once-steps whose outcome was lost and that a person was asked about. */
  readonly lostOutcomes: number;
  readonly results: number;
}

/** Checks every run against the laws, and what the processes saw against what the journals hold. */
export async function verify(
  engine: StoreEngine,
  runIds: readonly string[],
  lines: readonly LogLine[],
): Promise<Counts> {
  const journals = new Map<string, readonly JournalEntry[]>();
  for (const runId of runIds) {
    await checkJournal(engine, runId);
    const { status } = await engine.verify(runId, (await engine.ending(runId))?.headHash);
    checkEqual(status, 'proved', `the chain of ${runId}`);
    journals.set(runId, await engine.journal(runId));
  }
  const all = [...journals.values()].flat();
  const stored = storedMarks(all);
  checkEffects(lines, stored);
  const results = checkResults(lines, journals);
  checkAnswers(lines, journals);
  checkCancels(lines, journals);
  const effects = lines.filter(({ type }) => type === 'effect');
  const once = all.filter(({ type }) => type === 'step_started');
  const endings = all.filter((entry) => entry.type === 'segment_ended');
  return {
    runs: runIds.length,
    entries: all.length,
    segments: endings.length,
    closed: endings.filter((entry) => !(entry as JournalEntry<'segment_ended'>).data.envelope.open).length,
    effects: effects.length,
    repeated: effects.length - new Set(effects.map((line) => (line as Mark).place)).size,
    onceSteps: once.length,
    lostOutcomes: all.filter(({ type, key }) => type === 'request_opened' && key?.startsWith('once')).length,
    results,
  };
}

/** Which execution of each effect the journals hold. */
function storedMarks(entries: readonly JournalEntry[]): ReadonlyMap<string, string> {
  const stored = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== 'step_ended' && entry.type !== 'recorded') continue;
    const { data } = entry;
    if (data.ok) {
      const mark = data.value as Partial<Mark> | undefined;
      if (mark?.place !== undefined && mark.id !== undefined) stored.set(mark.place, mark.id);
    } else {
      const [id = '', ...place] = data.error.message.split(' ');
      stored.set(place.join(' '), id);
    }
  }
  return stored;
}

/**
 * The outcome that was committed is that of the last execution: nothing is performed again once its entry is there. Only who lost the run before
 * that, and was frozen or cut off, may perform it again. Once-steps are performed once at most. Whatever a body ever saw is what the journal
 * holds, so no acknowledged entry was lost.
 */
export function checkEffects(lines: readonly LogLine[], stored: ReadonlyMap<string, string>): void {
  const places = new Map<string, Effect[]>();
  const known = new Map<string, number>();
  for (const line of lines) {
    if (line.type === 'effect') places.set(line.place, [...(places.get(line.place) ?? []), line]);
    if (line.type === 'executed') known.set(line.by, line.entries);
  }
  for (const [place, effects] of places) {
    checkCommitted(effects, stored.get(place), known);
    if (place.includes(':once '))
      check(effects.length === 1, `the once-step ${place} was performed ${effects.length} times`);
  }
  for (const line of lines) {
    if (line.type === 'seen' && line.place !== 'confirmed')
      checkEqual(stored.get(line.place), line.id, `what a body saw of ${line.place}`);
  }
}

/** Checks who performed the effect of one place after the execution whose outcome was committed. */
function checkCommitted(
  effects: readonly Effect[],
  committed: string | undefined,
  known: ReadonlyMap<string, number>,
): void {
  if (committed === undefined) return;
  const index = effects.findIndex(({ id }) => id === committed);
  check(index !== -1, `nobody performed ${committed}, the outcome of ${effects[0]?.place}`);
  const owner = effects[index]?.by;
  for (const { id, by, place } of effects.slice(index + 1))
    check(
      by !== owner && entriesOf(known, by) <= entriesOf(known, owner),
      `${place} was performed again as ${id} after its outcome ${committed} was in the journal`,
    );
}

type Effect = Extract<LogLine, { type: 'effect' }>;

/** How many entries an execution had read when it began: who claimed a run later has read at least as many. */
function entriesOf(known: ReadonlyMap<string, number>, by: string | undefined): number {
  return known.get(by ?? '') ?? Number.NaN;
}

/** Every ending that was reported as persisted is the stored one. */
function checkResults(lines: readonly LogLine[], journals: ReadonlyMap<string, readonly JournalEntry[]>): number {
  let results = 0;
  for (const line of lines) {
    if (line.type !== 'result' || !line.persisted) continue;
    const entry = journals
      .get(line.runId)
      ?.find(({ type, segment }) => type === 'segment_ended' && segment === line.segment);
    const { envelope } = (entry as JournalEntry<'segment_ended'>).data;
    checkEqual(JSON.parse(line.ending), envelope.termination, `the result of ${line.runId}, segment ${line.segment}`);
    results += 1;
  }
  return results;
}

/** Every answer that was delivered is the one that the run received. */
function checkAnswers(lines: readonly LogLine[], journals: ReadonlyMap<string, readonly JournalEntry[]>): void {
  for (const line of lines) {
    if (line.type !== 'answered') continue;
    const entries = journals.get(line.runId) ?? [];
    const answered = entries.find(
      (entry) => entry.type === 'request_answered' && entry.data.answer.requestId === line.requestId,
    );
    const stopped = entries.some(
      (entry) =>
        entry.type === 'cancel_requested' ||
        (entry.type === 'request_withdrawn' && entry.data.requestId === line.requestId),
    );
    if (answered === undefined && stopped) continue;
    const by = (answered as JournalEntry<'request_answered'> | undefined)?.data.answer.by;
    checkEqual(by, line.by, `who answered ${line.requestId} of ${line.runId}`);
  }
}

/** Nobody is cancelled but runs whose cancel was asked for, and those that they spawned. Nobody here asks for one without undo. */
export function checkCancels(lines: readonly LogLine[], journals: ReadonlyMap<string, readonly JournalEntry[]>): void {
  const asked = new Set(lines.flatMap((line) => (line.type === 'cancelling' ? [line.runId] : [])));
  for (const [runId, entries] of journals)
    for (const entry of entries) {
      const cancel = cancelIn(entry);
      if (cancel === undefined || cancel.by === 'parent') continue;
      check(asked.has(runId), `${runId} was cancelled by ${cancel.by}, and nobody had asked for it: ${cancel.reason}`);
      check(
        cancel.hard !== true,
        `${runId} was cancelled without undo, and nobody had asked for that: ${cancel.reason}`,
      );
    }
}

function cancelIn(entry: JournalEntry): CancelRequest | undefined {
  if (entry.type === 'cancel_requested') return entry.data;
  if (entry.type !== 'segment_ended') return undefined;
  const { termination } = entry.data.envelope;
  return termination.kind === 'cancelled' ? termination : undefined;
}
