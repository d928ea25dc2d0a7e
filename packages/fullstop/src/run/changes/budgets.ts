import { checkOptions, positiveLimit, wholeLimit } from '../../stop/check-option.js';
import { type Duration, durationLimit } from '../../stop/duration.js';
import type { LimitChange, RunLimits } from '../limits.js';

/** The budgets of a convergence. A limit is a positive number or absent; 0 is refused. */
export interface ConvergenceBudgets {
  /** 100 unless given. */
  readonly cycles?: number;
  readonly facts?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  /** Active time: waiting for people and downtime do not count. */
  readonly time?: Duration;
}

/** Budgets after they were checked, with the time in milliseconds. */
export interface ReadBudgets {
  readonly cycles: number;
  readonly facts?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly timeMs?: number;
}

const names = ['cycles', 'facts', 'tokens', 'costUsd', 'time'] as const;
const usualCycles = 100;

/** Checks budgets; those that are not named stay as they were. */
export function readBudgets(budgets: ConvergenceBudgets, before: ReadBudgets = { cycles: usualCycles }): ReadBudgets {
  const builder = 'budgets';
  const { cycles, facts, tokens, costUsd, time } = checkOptions(budgets, builder, names);
  return {
    ...before,
    ...(cycles !== undefined && { cycles: wholeLimit(cycles, { builder, option: 'cycles' }) }),
    ...(facts !== undefined && { facts: wholeLimit(facts, { builder, option: 'facts' }) }),
    ...(tokens !== undefined && { tokens: wholeLimit(tokens, { builder, option: 'tokens' }) }),
    ...(costUsd !== undefined && { costUsd: positiveLimit(costUsd, { builder, option: 'costUsd' }) }),
    ...(time !== undefined && { timeMs: durationLimit(time, { builder, option: 'time' }) }),
  };
}

/** The part of budgets that the run itself watches while suggestors are at work. */
export function limitsOf({ tokens, costUsd, timeMs }: ReadBudgets): RunLimits {
  return {
    ...(tokens !== undefined && { tokens }),
    ...(costUsd !== undefined && { costUsd }),
    ...(timeMs !== undefined && { timeMs }),
  };
}

/** The same for a resume: only what it changes. */
export function limitChange(budgets: ConvergenceBudgets): LimitChange {
  const { cycles: _cycles, facts: _facts, ...rest } = budgets;
  return limitsOf(readBudgets(rest));
}
