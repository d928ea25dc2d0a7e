import type { Ending } from '../../termination/ending.js';
import type { JsonObject } from '../../termination/json.js';
import type { ActiveTimeline } from '../accounts/active-timeline.js';
import { lastOf, type Slot } from '../replay/replay.js';
import type { Machine, MachineDecision, MachineObservation, MachinePast, SegmentOpening } from './machine.js';

/** A decision after which the machine needs observations. */
export type OpenDecision<TPlan> = Exclude<MachineDecision<TPlan>, { type: 'end' }>;

/** The observations to fold in next, and how far the journal goes with them. */
export interface Ready {
  readonly observations: readonly MachineObservation[];
  readonly lastSeq: number;
  /** The limit that stopped what was under way. */
  readonly limit?: Ending | undefined;
}

/** Where a fold takes place: a unit at work, or its journal afterwards. */
export interface FoldPlace {
  readonly startedAt: number;
  /** The segments that resumes have opened, oldest first. */
  readonly openings: readonly SegmentOpening[];
  readonly timeline: ActiveTimeline;
  /** The ordinal of the next operation. */
  nextOrdinal(): number;
  /** The last ordinal that the journal holds for the unit; -1 where it holds none. */
  lastOrdinal(): number;
  /** True when the next ordinal is beyond the last one. */
  isAtFront(): boolean;
  /** The entries of the unit at an ordinal. */
  slotAt(ordinal: number): Slot | undefined;
  /** Takes the ordinal of one observation for `why` and `what-if`, and writes it if it is new. */
  observe(observation: JsonObject): void;
}

export interface FoldOptions<TState, TPlan, TInput> {
  readonly machine: Machine<TState, TPlan, TInput>;
  readonly input: TInput;
  readonly place: FoldPlace;
}

/** The fold of one machine: asked for a decision and given what came of it, in turns. */
export interface MachineFold<TState, TPlan> {
  /** The state as it is now. A method: a literal with a getter makes a hidden class that keeps the whole run until a full collection. */
  state(): TState;
  decide(): MachineDecision<TPlan>;
  apply(ready: Ready): void;
}

/**
 * The one fold of every machine, in turns: it says what the machine wants, and is given what came of that. `drive` performs
 * the effects, `foldJournal` looks them up.
 */
export function foldMachine<TState, TPlan, TInput>({
  machine,
  input,
  place,
}: FoldOptions<TState, TPlan, TInput>): MachineFold<TState, TPlan> {
  // The segments that the machine has not been notified of; nearly always there are none.
  const openings = machine.resume === undefined ? [] : [...place.openings];
  machine.recall?.(pastOf(place, openings));
  let state = machine.init(input);
  const passIdleTime = trackIdleTimes(machine, place);
  const resumeIn = (opening: SegmentOpening): void => {
    openings.shift();
    state = machine.resume?.(state, opening) ?? state;
  };
  return {
    state: () => state,
    decide() {
      // A segment begins after everything that the unit had written before it.
      for (let next = openings[0]; next !== undefined && place.nextOrdinal() > next.reach; next = openings[0])
        resumeIn(next);
      return machine.decide(state);
    },
    apply({ observations, lastSeq, limit }) {
      for (let next = openings[0]; next !== undefined && next.seq < lastSeq; next = openings[0]) resumeIn(next);
      state = stoppedAt(machine, state, limit);
      for (const observation of observations) state = machine.apply(passIdleTime(state, observation.at), observation);
      if (machine.settle !== undefined) state = machine.settle(state);
      const observed = machine.observe?.(state);
      if (Array.isArray(observed)) for (const each of observed as readonly JsonObject[]) place.observe(each);
      else if (observed !== undefined) place.observe(observed as JsonObject);
    },
  };
}

function stoppedAt<TState>(
  machine: Pick<Machine<TState, unknown, unknown>, 'stoppedAt'>,
  state: TState,
  limit: Ending | undefined,
): TState {
  if (limit === undefined) return state;
  return machine.stoppedAt?.(state, limit) ?? state;
}

const noKeys: ReturnType<MachinePast['keysBefore']> = { keys: new Set(), isOver: false };

/** The journal ahead of a fold. */
function pastOf(place: FoldPlace, openings: readonly SegmentOpening[]): MachinePast {
  return {
    isOver: () => place.isAtFront(),
    observed(ahead) {
      const ordinal = place.nextOrdinal() + ahead;
      if (ordinal > place.lastOrdinal()) return undefined;
      return lastOf(place.slotAt(ordinal), 'observed')?.data;
    },
    keysBefore(last) {
      if (place.isAtFront()) return noKeys;
      const end = place.lastOrdinal();
      const keys = new Set<string>();
      for (let ordinal = place.nextOrdinal(); ordinal <= end; ordinal += 1) {
        const key = place.slotAt(ordinal)?.key;
        if (key === last) return { keys, isOver: true };
        if (key !== undefined) keys.add(key);
      }
      return { keys, isOver: false };
    },
    placeOf(sought) {
      const [next, end] = [place.nextOrdinal(), place.lastOrdinal()];
      for (let ordinal = next; ordinal <= end; ordinal += 1)
        if (place.slotAt(ordinal)?.key === sought) return ordinal - next;
      return undefined;
    },
    ending: () => openings[0]?.ending,
  };
}

/** Notifies the machine of the times in which nobody worked on the run, before what was observed after them. */
function trackIdleTimes<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
  { timeline, startedAt }: FoldPlace,
): (state: TState, instant: number) => TState {
  let known = timeline.idleBefore(startedAt);
  return (state, instant) => {
    const more = timeline.idleBefore(instant) - known;
    if (more <= 0) return state;
    known += more;
    return machine.idle?.(state, more) ?? state;
  };
}
