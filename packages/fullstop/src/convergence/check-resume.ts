import { FullstopError } from '../termination/fullstop-error.js';
import { readBudgets } from './budgets.js';
import type { ConvergenceResumeOptions } from './convergence.js';
import type { ConvergenceState } from './state.js';

interface Resume {
  readonly runId: string;
  readonly options: ConvergenceResumeOptions;
  readonly state: ConvergenceState;
  readonly kinds: readonly string[];
}

/** Refuses a resume that would stop at once with nothing changed, or that asks for what cannot be. */
export function checkResume({ runId, options, state, kinds }: Resume): void {
  const budgets = readBudgets(options.budgets ?? {}, state.budgets);
  const { ending } = state;
  if (options.deadlines !== undefined && !kinds.includes('gate_expired'))
    throw new FullstopError('INVALID_OPTION', `The gates of ${runId} have no deadlines that could be changed.`);
  if (ending?.kind === 'cycle_budget' && budgets.cycles <= state.cycle) throw unchanged(runId, 'cycles', state.cycle);
  if (ending?.kind === 'fact_budget' && (budgets.facts ?? Number.POSITIVE_INFINITY) <= state.facts.length)
    throw unchanged(runId, 'facts', state.facts.length);
}

function unchanged(runId: string, budget: string, used: number): FullstopError {
  return new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${runId} would stop at once: resume it with budgets: { ${budget}: … } above ${used}.`,
  );
}
