import { invalidOption, someText } from '../../stop/check-option.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/fullstop-error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { suggestion } from '../../termination/suggestion.js';
import type { ConvergenceResumeOptions } from '../convergence.js';
import { isListOfTexts } from '../facts/fact.js';
import type { ConvergenceState } from '../machine/state.js';
import { type ReadBudgets, readBudgets } from './budgets.js';

/** Refuses what cannot be meant, whatever the run is. */
export function checkResumeOptions({ facts, settled, note }: ConvergenceResumeOptions): void {
  const builder = 'resume';
  if (facts !== undefined && !Array.isArray(facts)) throw invalidOption(facts, { builder, option: 'facts' }, 'a list');
  if (settled !== undefined && !isListOfTexts(settled))
    throw invalidOption(settled, { builder, option: 'settled' }, 'a list of references');
  if (note !== undefined) someText(note, { builder, option: 'note' });
  if (note !== undefined && settled === undefined)
    throw new FullstopError('INVALID_OPTION', 'resume: a note needs what it settles; name it in settled: [ref].');
}

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
  const { budgets: wanted = {}, settled = [] } = options;
  const budgets = readBudgets(wanted, state.budgets);
  checkSettled(runId, settled, state);
  if (options.deadlines !== undefined && !kinds.includes('gate_expired'))
    throw new FullstopError('INVALID_OPTION', `The gates of ${runId} have no deadlines that could be changed.`);
  const reached = ending === undefined ? undefined : reachedBudget(ending as AnyTermination, state, budgets);
  if (reached === undefined || reached.limit === undefined || reached.limit > reached.used) return;
  throw new FullstopError(
    'LIMIT_UNCHANGED',
    `The run ${runId} would stop at once: resume it with budgets: { ${reached.name}: … } above ${reached.used}.`,
    { details: { option: `budgets.${reached.name}`, used: reached.used, runId } },
  );
}

/** What nobody asked for would settle nothing. A criterion that names no reference goes by its id. */
function checkSettled(runId: string, settled: readonly string[], { criteria }: ConvergenceState): void {
  const blocked = criteria.flatMap((each) => (each.status === 'blocked' ? [each] : []));
  const known = blocked.flatMap(({ id, ref }) => (ref === undefined ? [id] : [id, ref]));
  const wrong = settled.find((ref) => !known.includes(ref));
  if (wrong === undefined) return;
  const there = `there are ${known.map((each) => JSON.stringify(each)).join(', ')}`;
  throw new FullstopError(
    'INVALID_OPTION',
    `The resume of ${runId}: settled names ${JSON.stringify(wrong)}, ${known.length === 0 ? 'but no criterion waits for a person' : `which nobody waits for${suggestion(wrong, known)}; ${there}`}.`,
  );
}

interface ReachedBudget {
  readonly name: string;
  readonly limit: number | undefined;
  readonly used: number;
}

/** The budget that the run ended with, and what it would be. */
function reachedBudget(
  ending: AnyTermination,
  state: ConvergenceState,
  budgets: ReadBudgets,
): ReachedBudget | undefined {
  switch (ending.kind) {
    case 'cycle_budget':
      return { name: 'cycles', limit: budgets.cycles, used: state.cycle };
    case 'fact_budget':
      return { name: 'facts', limit: budgets.facts, used: state.facts.length };
    case 'token_budget':
      return { name: 'tokens', limit: budgets.tokens, used: ending.used };
    case 'cost_budget':
      return { name: 'costUsd', limit: budgets.costUsd, used: ending.usedUsd };
    case 'time_budget':
      return { name: 'time', limit: budgets.timeMs, used: ending.elapsedMs };
    default:
      return undefined;
  }
}
