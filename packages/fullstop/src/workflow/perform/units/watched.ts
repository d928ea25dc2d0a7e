import type { Machine } from '../../../run/machine/machine.js';

/** The same machine, whose latest state can be read. */
export interface Watched<TState, TPlan, TInput> {
  readonly machine: Machine<TState, TPlan, TInput>;
  state(): TState | undefined;
}

export function watched<TState, TPlan, TInput>(
  machine: Machine<TState, TPlan, TInput>,
): Watched<TState, TPlan, TInput> {
  let latest: TState | undefined;
  const keep = (state: TState): TState => {
    latest = state;
    return state;
  };
  return {
    machine: {
      ...machine,
      init: (input) => keep(machine.init(input)),
      apply: (state, observation) => keep(machine.apply(state, observation)),
      resume: (state, opening) => keep(machine.resume?.(state, opening) ?? state),
    },
    state: () => latest,
  };
}
