import type { EntryType, JournalEntry } from '../../engines/port/journal-entry.js';
import { ActiveTimeline } from '../accounts/active-timeline.js';
import { behindDead, type DeadBranch, deadBranchesOf, withDead } from '../replay/dead-branch.js';
import { openingsOf } from '../replay/openings.js';
import { lastOf, Replay } from '../replay/replay.js';
import { withoutCutUnits } from '../replay/without-cut-units.js';
import { isTakenUpBehind } from './batch-journal.js';
import { IdleTimes } from './idle-times.js';
import { type Arrived, arrivedOf, type Started } from './journalled-outcome.js';
import type { Decision, Effect, Machine, SegmentOpening } from './machine.js';

/** The entries that a unit sees before anything has come of them. */
const beginnings: ReadonlySet<EntryType> = new Set(['request_opened', 'scope_opened', 'sleep_started']);

interface Folded<TState> {
  readonly machine: Machine<TState, unknown, never>;
  readonly replay: Replay;
  readonly openings: SegmentOpening[];
  readonly idleTimes: IdleTimes<TState, unknown, never>;
  state: TState;
  /** What lies behind units that were taken up again. */
  dead: readonly DeadBranch[];
  nextOrdinal: number;
  now: number;
}

/** The state of a run's machine after what its journal holds, without performing anything: what `drive` would come to. */
export function foldJournal<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
  input: TInput,
  journal: readonly JournalEntry[],
): TState {
  const known = machine as unknown as Machine<TState, unknown, never>;
  const folded: Folded<TState> = {
    machine: known,
    replay: new Replay(withoutCutUnits(journal)),
    openings: machine.resume === undefined ? [] : [...openingsOf(journal, '')],
    idleTimes: new IdleTimes(known, new ActiveTimeline(journal), journal[0]?.at ?? 0),
    state: machine.init(input),
    dead: [],
    nextOrdinal: 0,
    now: journal[0]?.at ?? 0,
  };
  let tasks: readonly Started[] = [];
  for (;;) {
    goOn(folded, ({ reach }) => folded.nextOrdinal > reach);
    const decision = folded.machine.decide(folded.state);
    if (decision.type === 'end') return folded.state;
    if (decision.type === 'perform') tasks = [...tasks, ...startedBy(folded, decision, tasks)];
    const ready = readyOf(folded, tasks);
    if (ready.length === 0) return folded.state;
    const taken = new Set(ready.map(({ ordinal }) => ordinal));
    tasks = tasks.filter(({ ordinal }) => !taken.has(ordinal));
    fold(folded, ready);
  }
}

function goOn<TState>(folded: Folded<TState>, isDue: (opening: SegmentOpening) => boolean): void {
  while (folded.openings[0] !== undefined && isDue(folded.openings[0])) {
    folded.state = folded.machine.resume?.(folded.state, folded.openings.shift() as SegmentOpening) ?? folded.state;
  }
}

function startedBy<TState>(
  folded: Folded<TState>,
  { effects, failFast }: Extract<Decision<unknown>, { type: 'perform' }>,
  tasks: readonly Started[],
): readonly Started[] {
  const underWay = new Set(tasks.map(({ effect }) => effect.key));
  const fresh = effects.filter(({ key }) => !underWay.has(key));
  const stop = failFast === true && effects.length > 1 ? stopOf(folded, fresh) : undefined;
  const isAlone = tasks.length === 0 && effects.length === 1 && effects.every(isStepOrRecord);
  return fresh.map((effect) => {
    const ordinal = folded.nextOrdinal++;
    const slot = folded.replay.slot('', ordinal);
    const [first] = slot?.entries ?? [];
    if (effect.type === 'unit') folded.dead = withDead(folded.dead, deadBranchesOf(slot));
    if (first !== undefined && beginnings.has(first.type)) folded.now = Math.max(folded.now, first.at);
    return { effect, ordinal, stop, isAlone };
  });
}

function isStepOrRecord({ type }: Effect<unknown>): boolean {
  return type === 'step' || type === 'record';
}

/** The stop of a batch that stands; a later segment may have taken up the member that had failed. */
function stopOf<TState>(
  folded: Folded<TState>,
  effects: readonly { readonly key: string }[],
): JournalEntry<'batch_stopped'> | undefined {
  const { replay } = folded;
  const ordinal = folded.nextOrdinal++;
  const stop = lastOf(replay.slot('', ordinal), 'batch_stopped');
  if (stop === undefined) return undefined;
  const index = effects.findIndex(({ key }) => key === stop.data.by);
  return isTakenUpBehind(stop, replay.slot('', ordinal + 1 + index)?.entries) ? undefined : stop;
}

function fold<TState>(folded: Folded<TState>, ready: readonly Arrived[]): void {
  const times = new Map<number, number>();
  for (const { seq, at: arrivedAt, effect, stop, isAlone } of ready) {
    // Who stops a batch sees that too before it goes on.
    const at = stop?.data.by === effect.key ? stop.at : arrivedAt;
    folded.now = Math.max(folded.now, at);
    times.set(seq, isAlone ? folded.now : at);
  }
  const last = ready.reduce((latest, { seq }) => Math.max(latest, seq), 0);
  goOn(folded, ({ seq }) => seq < last);
  for (const arrived of ready) {
    const at = times.get(arrived.seq) ?? folded.now;
    folded.state = folded.machine.apply(folded.idleTimes.takeBefore(folded.state, at), arrived.observation(at));
  }
  const observed = folded.machine.observe?.(folded.state);
  if (observed !== undefined) folded.nextOrdinal += Array.isArray(observed) ? observed.length : 1;
}

/**
 * The same choice that `drive` makes, which sees one outcome after the other: what it went on with while units waited, a
 * whole batch with the answers before its last, or the first answer of all.
 */
function readyOf<TState>(folded: Folded<TState>, tasks: readonly Started[]): readonly Arrived[] {
  const arrived = tasks.flatMap((task) => arrivedOf(folded.replay, task));
  const delivered = new Map<string, Arrived>();
  let working = tasks.filter((task) => !isRequest(task)).length;
  for (const next of [...arrived].sort((left, right) => left.seq - right.seq)) {
    delivered.set(next.effect.key, next);
    if (!isRequest(next)) working -= 1;
    // What was done behind a unit that was taken up again is a dead branch.
    folded.nextOrdinal = Math.max(folded.nextOrdinal, next.next ?? 0);
    const ordinal = behindDead(folded.replay, { scope: '', ordinal: folded.nextOrdinal }, folded.dead);
    const evaluated = lastOf(folded.replay.slot('', ordinal), 'batch_evaluated')?.data.applied;
    if (evaluated?.every((key) => delivered.has(key)) === true) {
      folded.nextOrdinal = ordinal + 1;
      return evaluated.flatMap((key) => delivered.get(key) ?? []);
    }
    if (evaluated !== undefined || working > 0) continue;
    if (isRequest(next) && arrived.every(isRequest)) return [next];
    const done = arrived.filter((task) => !isRequest(task));
    return [...delivered.values()].filter((task) => isRequest(task)).concat(done);
  }
  return [];
}

function isRequest({ effect }: Started): boolean {
  return effect.type === 'request';
}
