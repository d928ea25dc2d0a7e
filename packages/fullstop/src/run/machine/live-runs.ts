import type { Machine, MachineObservation, SegmentOpening } from './machine.js';

/** A run that someone in this process waits for, with its latest state, so that it need not be read back. */
export interface LiveRun<TState> {
  state: TState | undefined;
  /** Called with every state. */
  readonly onState?: ((state: TState) => void) | undefined;
}

/** The live runs of one definition, by id. */
export class LiveRuns<TRun> {
  readonly #runs = new Map<string, readonly TRun[]>();

  /** The latest, where several in this process wait for the same run. */
  get(runId: string): TRun | undefined {
    return this.#runs.get(runId)?.at(-1);
  }

  /** Keeps a run live as long as the work takes. */
  async during<TResult>(runId: string, run: TRun, work: () => Promise<TResult>): Promise<TResult> {
    this.#runs.set(runId, [...(this.#runs.get(runId) ?? []), run]);
    try {
      return await work();
    } finally {
      const others = (this.#runs.get(runId) ?? []).filter((each) => each !== run);
      if (others.length > 0) this.#runs.set(runId, others);
      else this.#runs.delete(runId);
    }
  }
}

/** The same machine, which leaves its latest state in a live run. */
export function keepLatest<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
  live: LiveRun<TState> | undefined,
): Machine<TState, TPlan, TInput> {
  if (live === undefined) return machine;
  const keep = (state: TState): TState => {
    live.state = state;
    live.onState?.(state);
    return state;
  };
  // Spelled out, because an object made of a spread has a shape of its own, and every step asks its machine five times.
  const keeping: Record<keyof Machine<TState, TPlan, TInput>, unknown> = {
    init: (input: TInput) => keep(machine.init(input)),
    decide: machine.decide,
    apply: (state: TState, observation: MachineObservation) => keep(machine.apply(state, observation)),
    settle:
      machine.settle &&
      ((state: TState) => {
        const settled = machine.settle?.(state) ?? state;
        return settled === state ? state : keep(settled);
      }),
    idle: machine.idle,
    atLimit: machine.atLimit,
    stoppedAt: machine.stoppedAt,
    observe: machine.observe,
    recall: machine.recall,
    resume: (state: TState, opening: SegmentOpening) => keep(machine.resume?.(state, opening) ?? state),
  };
  return keeping as unknown as Machine<TState, TPlan, TInput>;
}
