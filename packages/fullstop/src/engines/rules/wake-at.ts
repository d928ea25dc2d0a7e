import type { Ending } from '../../termination/ending.js';
import type { Envelope } from '../port/envelope.js';

/** When the first deadline passes among what a paused ending waits for. Requests that it does not list wake nobody. */
export function wakeAtOf({ termination }: Pick<Envelope<Ending>, 'termination'>): number | undefined {
  const { gates = [], requests = [] } = termination as {
    readonly gates?: readonly Pending[];
    readonly requests?: readonly Pending[];
  };
  const deadlines = [...gates, ...requests].flatMap(({ deadline }) =>
    deadline === undefined ? [] : [Date.parse(deadline)],
  );
  return deadlines.length === 0 ? undefined : Math.min(...deadlines);
}

interface Pending {
  readonly deadline?: string;
}
