import type { Engine } from '../engines/port/engine.js';
import type { EntryType, JournalEntry } from '../engines/port/journal-entry.js';
import { verifyJournal } from '../run/journal/verify-journal.js';
import { check, checkEqual, checkPresent } from './check.js';

/** Checks the journal of a run against the laws: what must hold whatever happened to the run. */
export async function checkJournal(engine: Engine, runId: string): Promise<void> {
  const entries = await engine.journal(runId);
  const ending = await engine.ending(runId);
  const verdict = await verifyJournal(entries, ending?.headHash === undefined ? {} : { head: ending.headHash });
  check(verdict.verdict !== 'broken', `the journal of ${runId} is broken: ${JSON.stringify(verdict)}`);
  checkSegments(entries, runId);
  checkOperations(entries, runId);
  checkSteps(entries, runId);
  checkLedger(entries, runId);
  if (ending === undefined) return;
  const last = checkPresent(entries.at(-1), `the last entry of ${runId}`);
  check(last.type === 'segment_ended', `the run ${runId} has an ending, but its last entry is ${last.type}`);
  const { headHash, persisted, ...stored } = ending;
  check(persisted, `the stored ending of ${runId} says that it was not persisted`);
  checkEqual(headHash, last.hash, `the head hash of ${runId}`);
  checkEqual(stored, last.data.envelope, `the ending of ${runId} and its entry`);
}

/** Exactly one ending for each segment, as its last entry; at most one that is closed, and nothing after it. */
function checkSegments(entries: readonly JournalEntry[], runId: string): void {
  const endings = entries.filter((entry) => entry.type === 'segment_ended');
  checkEqual(
    endings.map(({ segment }) => segment),
    endings.map((_, index) => index + 1),
    `the segments of ${runId} that have an ending`,
  );
  for (const ending of endings) {
    const next = entries[ending.seq];
    check(
      next === undefined || next.segment === ending.segment + 1,
      `entry ${ending.seq + 1} of ${runId} is after the ending of its segment`,
    );
    const { open } = ending.data.envelope;
    check(open || next === undefined, `an entry is after the closed ending of ${runId}`);
  }
}

/** An operation has one outcome; a unit has at most one ending for each attempt, and one at all if its run is closed. */
function checkOperations(entries: readonly JournalEntry[], runId: string): void {
  const once: ReadonlySet<EntryType> = new Set([
    'recorded',
    'request_answered',
    'sleep_ended',
    'step_ended',
    'step_started',
  ]);
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const { type, scope, ordinal } = entry;
    // Only what it had used counts of a step that a cancellation stopped.
    if (type === 'step_ended' && !entry.data.ok && entry.data.stopped === true) continue;
    const place = `${type} at ${scope === '' ? 'the run' : scope}, operation ${ordinal}`;
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    // A failed step that a segment ended with is tried again by the next, and says so.
    const redone = type === 'step_ended' && entry.data.next !== undefined;
    check(count === 1 || redone || !once.has(type), `${runId} has ${count} entries ${place}`);
  }
  const last = entries.at(-1);
  const closed = last?.type === 'segment_ended' && !last.data.envelope.open;
  for (const [place, opened] of counts) {
    if (!place.startsWith('scope_opened')) continue;
    const ended = counts.get(place.replace('scope_opened', 'unit_ended')) ?? 0;
    check(ended <= opened, `${runId} has more endings than attempts: ${place}`);
    check(!closed || ended === opened, `${runId} is closed, but a unit in it has no ending: ${place}`);
  }
}

/** Within a segment a step has one outcome, also where it was stopped. */
function checkSteps(entries: readonly JournalEntry[], runId: string): void {
  const seen = new Set<string>();
  for (const { type, scope, ordinal, segment } of entries) {
    if (type !== 'step_ended') continue;
    const place = `${scope === '' ? 'the run' : scope}, operation ${ordinal}, segment ${segment}`;
    check(!seen.has(place), `${runId} has two outcomes of a step at ${place}`);
    seen.add(place);
  }
}

/** The usage in an ending is the sum of the charges in the entries before it. */
function checkLedger(entries: readonly JournalEntry[], runId: string): void {
  let [inputTokens, outputTokens] = [0, 0];
  for (const entry of entries) {
    if (entry.type === 'step_ended') {
      inputTokens += entry.data.charge?.inputTokens ?? 0;
      outputTokens += entry.data.charge?.outputTokens ?? 0;
    } else if (entry.type === 'segment_ended') {
      const usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
      checkEqual(entry.data.envelope.usage, usage, `the usage of ${runId} at the end of segment ${entry.segment}`);
    }
  }
}
