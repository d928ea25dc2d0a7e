import type { JsonObject } from '../../termination/json.js';
import type { ActiveTimeline } from '../accounts/active-timeline.js';
import type { Machine, MachineDecision, MachineObservation, SegmentOpening } from './machine.js';

/** A decision after which the machine needs observations. */
export type OpenDecision<TPlan> = Exclude<MachineDecision<TPlan>, { type: 'end' }>;

/** The observations to fold in next, and how far the journal goes with them. */
export interface Ready {
  readonly observations: readonly MachineObservation[];
  readonly lastSeq: number;
}

/** Where a fold takes place: a unit at work, or its journal afterwards. */
export interface FoldPlace {
  readonly startedAt: number;
  /** The segments that resumes have opened, oldest first. */
  readonly openings: readonly SegmentOpening[];
  readonly timeline: ActiveTimeline;
  /** The ordinal of the next operation. */
  nextOrdinal(): number;
  /** Takes the place of one observation for `why` and `what-if`, and writes it if it is new. */
  observe(observation: JsonObject): void;
}

export interface FoldOptions<TState, TPlan, TInput> {
  readonly machine: Machine<TState, TPlan, TInput>;
  readonly input: TInput;
  readonly place: FoldPlace;
}

/** The fold of one machine: asked for a decision and given what came of it, in turns. */
export interface MachineFold<TState, TPlan> {
  readonly state: TState;
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
  let state = machine.init(input);
  const resumeDue = trackOpenings(machine, place);
  const passIdleTime = trackIdleTimes(machine, place);
  return {
    get state() {
      return state;
    },
    decide() {
      // A segment begins after everything that the unit had written before it.
      state = resumeDue(state, ({ reach }) => place.nextOrdinal() > reach);
      return machine.decide(state);
    },
    apply({ observations, lastSeq }) {
      state = resumeDue(state, ({ seq }) => seq < lastSeq);
      for (const observation of observations) state = machine.apply(passIdleTime(state, observation.at), observation);
      if (machine.settle !== undefined) state = machine.settle(state);
      for (const observation of listOf(machine.observe?.(state))) place.observe(observation);
    },
  };
}

/** Notifies the machine of each segment that a resume has opened, once the fold has reached it. */
function trackOpenings<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
  place: FoldPlace,
): (state: TState, isDue: (opening: SegmentOpening) => boolean) => TState {
  const openings = machine.resume === undefined ? [] : [...place.openings];
  return (state, isDue) => {
    let current = state;
    for (let next = openings[0]; next !== undefined && isDue(next); next = openings[0]) {
      openings.shift();
      current = machine.resume?.(current, next) ?? current;
    }
    return current;
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

function listOf(observed: JsonObject | readonly JsonObject[] | undefined): readonly JsonObject[] {
  if (observed === undefined) return [];
  return Array.isArray(observed) ? observed : [observed as JsonObject];
}
