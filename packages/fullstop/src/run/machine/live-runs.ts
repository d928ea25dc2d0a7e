import type { Machine } from './machine.js';

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
  return {
    ...machine,
    init: (input) => keep(machine.init(input)),
    apply: (state, observation) => keep(machine.apply(state, observation)),
    ...(machine.settle !== undefined && { settle: (state: TState) => keep(machine.settle?.(state) ?? state) }),
    resume: (state, opening) => keep(machine.resume?.(state, opening) ?? state),
  };
}
