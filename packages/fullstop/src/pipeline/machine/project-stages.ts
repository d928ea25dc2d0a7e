import type { EntryData, JournalEntry } from '../../engines/port/journal-entry.js';
import type { Charge } from '../../engines/port/usage.js';
import { activeTimes } from '../../run/accounts/active-timeline.js';
import { Ledger } from '../../run/accounts/ledger.js';
import { makeScope, parsePart, parseScope } from '../../run/journal/scope-path.js';
import type { Category, Ending } from '../../termination/ending.js';
import { isObject } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { tagOf } from '../../termination/tag-of.js';
import { terminations } from '../../termination/terminations.js';
import { stageKey } from './pipeline-key.js';
import { type PlannedItem, type PlannedStage, placedStages, type StageRules } from './plan.js';
import { executorNameOf, reportOf } from './report.js';
import type { StageResult } from './stage-result.js';
import { outcomeIn } from './stage-view.js';

/** The facts about one stage in the journal. */
interface Track {
  /** Made with its first charge: most stages have none, and a long pipeline has very many stages. */
  ledger: Ledger | undefined;
  begun: boolean;
  /** True once its work began: it was not skipped, and `before` let it. */
  worked: boolean;
  /** The active time of the run when it began, or continued after a pause. */
  since: number | undefined;
  durationMs: number;
  ended: JournalEntry<'unit_ended'> | undefined;
}

interface Projection extends StageRules {
  readonly items: readonly PlannedItem[];
  readonly journal: readonly JournalEntry[];
  /** How the run ended: so did a stage that was under way. */
  readonly termination: Ending;
}

/** All planned stages in order, from what the journal holds. */
export function projectStages(projection: Projection): readonly StageResult[] {
  const placed = placedStages(projection.items);
  const tracks = new Map<string, Track>();
  for (const { path } of placed) tracks.set(path, newTrack());
  const activeAt = activeTimes(projection.journal);
  for (const entry of projection.journal) follow(tracks, entry, activeAt(entry.at));
  return placed.map(({ stage, path }, index) =>
    toResult({ stage, index, track: tracks.get(path) ?? newTrack() }, projection),
  );
}

function newTrack(): Track {
  return { ledger: undefined, begun: false, worked: false, since: undefined, durationMs: 0, ended: undefined };
}

function follow(tracks: ReadonlyMap<string, Track>, entry: JournalEntry, activeMs: number): void {
  switch (entry.type) {
    case 'scope_opened':
      begin(unitOf(tracks, entry), activeMs);
      return;
    case 'unit_ended':
      finish(unitOf(tracks, entry), entry as JournalEntry<'unit_ended'>, activeMs);
      return;
    case 'step_ended':
      if (entry.key === stageKey) beginWork(trackOf(tracks, entry.scope), entry.data);
      if (entry.data.charge !== undefined) charge(trackOf(tracks, entry.scope), entry.data.charge);
      return;
    case 'segment_ended':
      for (const track of tracks.values()) pause(track, activeMs);
      return;
    case 'segment_opened':
      for (const track of tracks.values()) if (track.begun && track.ended === undefined) track.since = activeMs;
      return;
    default:
  }
}

function charge(track: Track | undefined, charged: Charge): void {
  if (track === undefined) return;
  track.ledger ??= new Ledger({});
  track.ledger.restore(charged);
}

function begin(track: Track | undefined, activeMs: number): void {
  if (track === undefined) return;
  track.begun = true;
  track.since = activeMs;
  track.ended = undefined;
}

function beginWork(track: Track | undefined, asked: EntryData['step_ended']): void {
  if (track !== undefined && asked.ok && !(isObject(asked.value) && 'skip' in asked.value)) track.worked = true;
}

function finish(track: Track | undefined, ended: JournalEntry<'unit_ended'>, activeMs: number): void {
  if (track === undefined) return;
  pause(track, activeMs);
  track.ended = ended;
}

function pause(track: Track, activeMs: number): void {
  if (track.since === undefined) return;
  track.durationMs += activeMs - track.since;
  track.since = undefined;
}

/** The stage whose unit an entry is about; none for units inside a stage. */
function unitOf(tracks: ReadonlyMap<string, Track>, { scope, key = '' }: JournalEntry): Track | undefined {
  if (trackOf(tracks, scope) !== undefined) return undefined;
  return trackOf(tracks, makeScope(scope, key));
}

/** The stage that a scope lies in: the first one or two parts of its path, without the marks of later visits. */
function trackOf(tracks: ReadonlyMap<string, Track>, scope: string): Track | undefined {
  if (scope === '') return undefined;
  const exact = tracks.get(scope);
  if (exact !== undefined) return exact;
  const [first = '', second] = parseScope(scope);
  const own = tracks.get(first) ?? tracks.get(parsePart(first).name);
  if (own !== undefined || second === undefined) return own;
  const inPhase = parsePart(second).name;
  return tracks.get(makeScope(first, inPhase)) ?? tracks.get(makeScope(parsePart(first).name, inPhase));
}

interface Tracked {
  readonly stage: PlannedStage;
  readonly index: number;
  readonly track: Track;
}

function toResult({ stage, index, track }: Tracked, projection: Projection): StageResult {
  const { name, phase } = stage;
  const { ledger = unused, durationMs, begun, worked } = track;
  const ended = track.ended?.data ?? { termination: endingOfUnfinished(begun, projection.termination) };
  const termination = ended.termination as AnyTermination;
  const report = reportOf(ended, projection.registry);
  const result: Writable<StageResult> = {
    name,
    index,
    outcome: track.ended === undefined ? outcomeIn(projection.registry, termination) : report.outcome,
    termination,
    also: track.ended?.data.also ?? [],
    category: categoryIn(projection, termination),
    tag: report.tag ?? tagOf(termination, projection),
    attempts: worked ? (report.attempts ?? 1) : 0,
    usage: ledger.usage,
    costUsd: ledger.costUsd,
    durationMs,
  };
  if (phase !== undefined) result.phase = phase;
  if (ledger.estimated) result.estimated = true;
  if (worked) result.executor = { name: executorNameOf(stage, report), termination: report.executor ?? termination };
  if (report.output !== undefined) result.output = report.output;
  return result;
}

/** The account of a stage without charges. */
const unused = new Ledger({});

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A stage without an ending of its own ended with the run, or was never reached. */
function endingOfUnfinished(begun: boolean, ofRun: Ending): AnyTermination {
  return begun ? (ofRun as AnyTermination) : terminations.skipped({ because: 'not_reached' });
}

function categoryIn({ registry }: StageRules, termination: Ending): Category {
  try {
    return registry.find(termination.kind)?.category(termination) ?? 'fatal';
  } catch {
    return 'fatal';
  }
}
