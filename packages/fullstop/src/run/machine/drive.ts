import type { Ending } from '../../termination/ending.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { End, RunContext } from '../run-context.js';
import { asUnitContext, type UnitContext } from '../unit/unit-context.js';
import { waitForever } from '../unit/wait-forever.js';
import { IdleTimes } from './idle-times.js';
import type { Decision, Machine, Performer, SegmentOpening } from './machine.js';
import { Tasks } from './tasks.js';

export interface DriveOptions<TState, TPlan, TInput> {
  readonly machine: Machine<TState, TPlan, TInput>;
  readonly performer: Performer<TPlan>;
  readonly context: RunContext;
  readonly input: TInput;
}

/**
 * Runs a machine: asks what to do, performs it through the context and folds the observations in, in the order of the
 * journal. On resume the same loop runs over what the journal holds, so that nothing is decided twice.
 */
export async function drive<TState, TPlan, TInput>(options: DriveOptions<TState, TPlan, TInput>): Promise<End<Ending>> {
  const { machine, performer, input } = options;
  const context = asUnitContext(options.context);
  // What a machine has observed stands; it goes on behind an ending by its own `resume`.
  context.letFailuresStand();
  let state = machine.init(input);
  const tasks = new Tasks(context, performer);
  const openings = new Openings(machine, context);
  const idleTimes = new IdleTimes(machine, context.timeline, context.now());
  for (;;) {
    state = openings.takeReached(state);
    const decision = machine.decide(state);
    if (decision.type === 'end') {
      tasks.close();
      return toEnd(decision);
    }
    context.keepCauses(decision.also as readonly AnyTermination[] | undefined);
    const ready = await tasks.perform(decision);
    // What was cut off with a unit is nothing that came of it: a resume takes it up again.
    if (context.ended) return waitForever();
    state = openings.takeBefore(state, ready.lastSeq);
    for (const observation of ready.observations) {
      state = machine.apply(idleTimes.takeBefore(state, observation.at), observation);
    }
    observe(context, machine.observe?.(state));
  }
}

/** The segments that resumes have opened; the machine is told of each once the fold has come to it. */
class Openings<TState, TPlan, TInput> {
  readonly #machine: Machine<TState, TPlan, TInput>;
  readonly #context: UnitContext;
  readonly #openings: SegmentOpening[];

  constructor(machine: Machine<TState, TPlan, TInput>, context: UnitContext) {
    this.#machine = machine;
    this.#context = context;
    this.#openings = machine.resume === undefined ? [] : [...context.openings()];
  }

  /** Those behind which the unit has written more. */
  takeReached(state: TState): TState {
    if (this.#openings.length === 0) return state;
    return this.#take(state, ({ reach }) => this.#context.nextOrdinal > reach);
  }

  /** Those before an entry. */
  takeBefore(state: TState, lastSeq: number): TState {
    if (this.#openings.length === 0) return state;
    return this.#take(state, ({ seq }) => seq < lastSeq);
  }

  #take(state: TState, isDue: (opening: SegmentOpening) => boolean): TState {
    let current = state;
    for (let next = this.#openings[0]; next !== undefined && isDue(next); next = this.#openings[0]) {
      this.#openings.shift();
      current = this.#machine.resume?.(current, next) ?? current;
    }
    return current;
  }
}

function observe(context: UnitContext, observed: JsonObject | readonly JsonObject[] | undefined): void {
  if (observed === undefined) return;
  if (Array.isArray(observed)) for (const each of observed) context.observe(each);
  else context.observe(observed as JsonObject);
}

function toEnd(decision: Extract<Decision<unknown>, { type: 'end' }>): End<Ending> {
  const { termination, also, output } = decision;
  return {
    termination,
    ...(also !== undefined && { also }),
    ...(output !== undefined && { output: output as JsonValue }),
  };
}
