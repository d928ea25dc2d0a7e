import type { Engine } from '../../engines/port/engine.js';
import type { EntryData, ForkOrigin, JournalEntry } from '../../engines/port/journal-entry.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import { newRunId } from '../new-id.js';
import { normalise } from '../unit/normalise.js';
import { forkPoints } from './fork-points.js';
import { originsOf } from './lineage.js';

/** Options of `fork`: the run, and the entry after which the new one goes its own way. */
export interface ForkOptions {
  /** The last entry that the new run has in common with the old one. */
  readonly at: number;
  /** The id of the new run; drawn unless given. */
  readonly runId?: string;
  /** Another input for what comes after; what was done with the old one stays done. */
  readonly input?: JsonValue;
  /** Other values for what callbacks have recorded, by the numbers of their entries: for bodies that record their input. */
  readonly recorded?: Readonly<Record<number, JsonValue>>;
  /** Who forks, for the journal. */
  readonly by?: string;
}

/** The new run. */
export interface Fork {
  readonly runId: string;
  /** How many entries it has in common with the old one. */
  readonly entries: number;
  /** `ended` where it has the ending of the old one, and has to be resumed; `ready` where a resume or a worker continues it. */
  readonly state: 'ended' | 'ready';
}

/**
 * Makes a new run with a copy of the journal of another, up to an entry, and leaves the other one alone. The copy has hashes of its own,
 * and names where it comes from. Refused with `FORK_REFUSED` where nothing could continue after the entry; the details name the
 * nearest entries where it is possible.
 */
export async function fork(engine: Engine, runId: string, options: ForkOptions): Promise<Fork> {
  const { at } = options;
  if (!Number.isSafeInteger(at) || at < 1)
    throw new FullstopError(
      'INVALID_OPTION',
      `The fork of ${runId}: at is ${found(at)}; it must be the number of an entry.`,
    );
  const journal = await engine.journal(runId);
  refuseRun(engine, runId, journal);
  refuseEntry(runId, journal, at);
  const newId = options.runId ?? newRunId(engine);
  const { recorded = {} } = options;
  refuseRecorded(runId, journal.slice(0, at), recorded);
  const copied = journal.slice(0, at).map((entry) => withRecorded(copyEntry(entry, newId), recorded));
  const [first, ...rest] = copied;
  if (first?.type !== 'run_started') throw new TypeError('A journal begins with run_started.');
  const origin = { runId, at, ...hashOf(journal[at - 1]), ...(options.by !== undefined && { by: options.by }) };
  const start = { ...first, data: startOf(first.data, originsAfter(journal, origin), options.input) };
  if ((await engine.importRun([start, ...rest])) === 'exists')
    throw new FullstopError('RUN_ID_CONFLICT', `A run named ${newId} exists already. Fork ${runId} to another runId.`);
  return { runId: newId, entries: at, state: copied.at(-1)?.type === 'segment_ended' ? 'ended' : 'ready' };
}

function refuseRun({ name }: Engine, runId: string, journal: readonly JournalEntry[]): void {
  const [first] = journal;
  if (first?.type !== 'run_started')
    throw new FullstopError('RUN_NOT_FOUND', `There is no run ${JSON.stringify(runId)} on the ${name} engine.`);
  if (first.data.conversation !== undefined)
    throw new FullstopError(
      'FORK_REFUSED',
      `The run ${runId} is a turn of a conversation, whose turns follow one another. Start another branch of the conversation instead.`,
      { details: { runId, reason: 'it is a turn of a conversation' } },
    );
}

/** Names the entries around it where a fork is possible. */
function refuseEntry(runId: string, journal: readonly JournalEntry[], at: number): void {
  const points = forkPoints(journal);
  const point = points[at - 1];
  if (point?.possible === true) return;
  const reason = point === undefined ? `it has ${journal.length} entries` : point.reason;
  const before = points.findLast(({ seq, possible }) => possible && seq < at)?.seq;
  const after = points.find(({ seq, possible }) => possible && seq > at)?.seq;
  const near = [before, after].filter((seq) => seq !== undefined);
  const hint =
    near.length === 0 ? 'It can be forked nowhere.' : `The nearest entries where it can: ${near.join(' and ')}.`;
  throw new FullstopError('FORK_REFUSED', `The run ${runId} cannot be forked at entry ${at}: ${reason}. ${hint}`, {
    details: { runId, reason, ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
  });
}

/** The same entry in another run, without the hash, which is about the old one. */
function copyEntry(entry: JournalEntry, runId: string): JournalEntry {
  const { hash: _hash, ...rest } = entry;
  if (entry.type !== 'segment_ended') return { ...rest, runId } as JournalEntry;
  return { ...rest, runId, data: { envelope: { ...entry.data.envelope, runId } } } as JournalEntry;
}

/** Only what a callback has recorded may be another value: an effect has happened, or it has not. */
function refuseRecorded(
  runId: string,
  copied: readonly JournalEntry[],
  recorded: Readonly<Record<number, JsonValue>>,
): void {
  for (const seq of Object.keys(recorded)) {
    const entry = copied[Number(seq) - 1];
    if (entry?.type === 'recorded' && entry.data.ok) continue;
    throw new FullstopError(
      'INVALID_OPTION',
      `The fork of ${runId}: recorded names entry ${seq}, which is not something that a callback has recorded up to there.`,
    );
  }
}

function withRecorded(entry: JournalEntry, recorded: Readonly<Record<number, JsonValue>>): JournalEntry {
  const value = recorded[entry.seq];
  if (entry.type !== 'recorded' || value === undefined) return entry;
  return { ...entry, data: { ...entry.data, ok: true, value: normalise(value) as JsonValue } } as JournalEntry;
}

/** The start of the new run: nobody spawned it, and it names its origins. */
function startOf(
  { parent: _parent, ...data }: EntryData['run_started'],
  forkedFrom: readonly ForkOrigin[],
  input: JsonValue | undefined,
): EntryData['run_started'] {
  return { ...data, ...(input !== undefined && { input: normalise(input) as JsonValue }), forkedFrom };
}

/** The origins of the old run that wrote what is copied, then the old run itself. */
function originsAfter(journal: readonly JournalEntry[], origin: ForkOrigin): readonly ForkOrigin[] {
  const before = originsOf(journal);
  const whole = before.filter(({ at }) => at < origin.at);
  const cut = before[whole.length];
  // Forked within what the old run has from an older one: then that one wrote all the rest.
  return cut === undefined ? [...whole, origin] : [...whole, { ...cut, at: origin.at }, origin];
}

function hashOf(entry: JournalEntry | undefined): { readonly hash?: string } {
  return entry?.hash === undefined ? {} : { hash: entry.hash };
}
