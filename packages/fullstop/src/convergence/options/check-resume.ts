import { type ReadBudgets, readBudgets } from '../../run/changes/budgets.js';
import { budgetUnchanged, findReachedBudget, refuseUnknownReference } from '../../run/changes/refuse-unchanged.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { ConvergenceResumeOptions } from '../convergence.js';
import type { ConvergenceState } from '../machine/state.js';

interface Resume {
  readonly runId: string;
  readonly options: ConvergenceResumeOptions;
  readonly state: ConvergenceState;
  /** How the run ended, if it has. */
  readonly ending: Ending | undefined;
  readonly kinds: readonly string[];
}

/** Refuses a resume that would stop at once with nothing changed, or that asks for what cannot be. */
export function checkResume({ runId, options, state, ending, kinds }: Resume): void {
  const budgets = readBudgets(options.budgets ?? {}, state.budgets);
  refuseUnknownReference(options.settled ?? [], referencesOf(state), `The resume of ${runId}`);
  if (options.deadlines !== undefined && !kinds.includes('gate_expired'))
    throw new FullstopError('INVALID_OPTION', `The gates of ${runId} have no deadlines that could be changed.`);
  const reached = ending === undefined ? undefined : findReachedBudget(ending);
  const limit = reached === undefined ? undefined : limitOf(budgets, reached.name);
  if (reached === undefined || limit === undefined || limit > reached.used) return;
  throw budgetUnchanged(`The run ${runId}`, reached);
}

/** The references that blocked criteria wait for. A criterion that names none goes by its id. */
function referencesOf({ criteria }: ConvergenceState): readonly string[] {
  const blocked = criteria.flatMap((each) => (each.status === 'blocked' ? [each] : []));
  return blocked.flatMap(({ id, ref }) => (ref === undefined ? [id] : [id, ref]));
}

function limitOf(budgets: ReadBudgets, name: Exclude<keyof ReadBudgets, 'timeMs'> | 'time'): number | undefined {
  return name === 'time' ? budgets.timeMs : budgets[name];
}
