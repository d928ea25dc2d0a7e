import { amount, count, flag, limit, oneOf, optional, positive, ratio } from '../check.js';
import type { Ending } from '../ending.js';
import { capacity, type KindRows } from '../kind-row.js';
import { counted, dollars, duration, grouped, percent } from '../text/wording.js';

/** The cap on iterations, rounds, turns or steps was reached. */
export interface MaxIterations extends Ending<'max_iterations', 'capacity', 'limit'> {
  readonly limit: number;
  readonly used: number;
  readonly unit: 'iteration' | 'round' | 'turn' | 'step';
}

/** The cap on tool calls was reached. */
export interface MaxToolCalls extends Ending<'max_tool_calls', 'capacity', 'limit'> {
  readonly limit: number;
  readonly used: number;
}

/** The time allowed for the run or one of its parts is used up. */
export interface TimeBudget extends Ending<'time_budget', 'capacity', 'limit'> {
  readonly limitMs: number;
  readonly elapsedMs: number;
  readonly scope: 'run' | 'iteration' | 'model' | 'tool' | 'stage' | 'step';
}

/** The token budget is used up. */
export interface TokenBudget extends Ending<'token_budget', 'capacity', 'limit'> {
  readonly limit: number;
  readonly used: number;
  /** True when a provider reported no usable count, so that some of it is a guess. */
  readonly estimated?: boolean;
}

/** The cost budget is used up. */
export interface CostBudget extends Ending<'cost_budget', 'capacity', 'limit'> {
  readonly limitUsd: number;
  readonly usedUsd: number;
  /** True when some of the usage that was priced is a guess. */
  readonly estimated?: boolean;
}

/** A convergence run used up its cycles. */
export interface CycleBudget extends Ending<'cycle_budget', 'capacity', 'limit'> {
  readonly limit: number;
  readonly used: number;
}

/** A convergence run holds as many facts as it may. */
export interface FactBudget extends Ending<'fact_budget', 'capacity', 'limit'> {
  readonly limit: number;
  readonly used: number;
}

/** A budget came close to its end and the run was told to wrap up. */
export interface BudgetPressure extends Ending<'budget_pressure', 'capacity', 'limit'> {
  readonly threshold: number;
  readonly resource: 'time' | 'cost' | 'tokens';
  /** True when the wrap-up iteration gave a final answer. */
  readonly finalized: boolean;
}

export interface LimitKinds {
  max_iterations: MaxIterations;
  max_tool_calls: MaxToolCalls;
  time_budget: TimeBudget;
  token_budget: TokenBudget;
  cost_budget: CostBudget;
  cycle_budget: CycleBudget;
  fact_budget: FactBudget;
  budget_pressure: BudgetPressure;
}

const limited = { family: 'limit', ...capacity } as const;
const usedOfLimit = { limit, used: count } as const;

export const limitRows: KindRows<LimitKinds> = {
  max_iterations: {
    ...limited,
    fields: { ...usedOfLimit, unit: oneOf('iteration', 'round', 'turn', 'step') },
    describe: (t) => `Stopped at the limit of ${counted(t.limit, t.unit)} (used ${grouped(t.used)}).`,
    nextAction: (t) => `Resume with a limit above ${counted(t.limit, t.unit)}, or give the run less to do.`,
  },
  max_tool_calls: {
    ...limited,
    fields: usedOfLimit,
    describe: (t) => `Stopped at the limit of ${counted(t.limit, 'tool call')} (used ${grouped(t.used)}).`,
    nextAction: (t) => `Resume with a limit above ${counted(t.limit, 'tool call')}, or give the run less to do.`,
  },
  time_budget: {
    ...limited,
    fields: {
      limitMs: positive,
      elapsedMs: amount,
      scope: oneOf('run', 'iteration', 'model', 'tool', 'stage', 'step'),
    },
    describe: (t) =>
      `Stopped at the time limit of ${duration(t.limitMs)} for the ${scopeNames[t.scope]} (took ${duration(t.elapsedMs)}).`,
    nextAction: (t) =>
      `Resume with more than ${duration(t.limitMs)} for the ${scopeNames[t.scope]}, or give it less to do.`,
  },
  token_budget: {
    ...limited,
    fields: { ...usedOfLimit, estimated: optional(flag) },
    describe: (t) => {
      const amount = `${about(t)}${grouped(t.used)} of ${counted(t.limit, 'token')}`;
      // A step that reserves more than is left is refused before the budget is used up.
      return t.used < t.limit
        ? `The token budget has no room for more: ${amount} used.`
        : `The token budget is used up: ${amount}.`;
    },
    nextAction: (t) => `Resume with a budget above ${counted(t.limit, 'token')}, or shrink the context.`,
  },
  cost_budget: {
    ...limited,
    fields: { limitUsd: positive, usedUsd: amount, estimated: optional(flag) },
    describe: (t) => {
      const amount = `${about(t)}${dollars(t.usedUsd)} of ${dollars(t.limitUsd)}`;
      return t.usedUsd < t.limitUsd
        ? `The cost budget has no room for more: ${amount} used.`
        : `The cost budget is used up: ${amount}.`;
    },
    nextAction: (t) => `Resume with a budget above ${dollars(t.limitUsd)}, or use a cheaper model.`,
  },
  cycle_budget: {
    ...limited,
    fields: usedOfLimit,
    describe: (t) => `No fixed point within ${counted(t.limit, 'cycle')} (used ${grouped(t.used)}).`,
    nextAction: (t) =>
      `Resume with more than ${counted(t.limit, 'cycle')}, or look for suggestors that undo each other.`,
  },
  fact_budget: {
    ...limited,
    fields: usedOfLimit,
    describe: (t) => `Stopped at the limit of ${counted(t.limit, 'fact')} (there are ${grouped(t.used)}).`,
    nextAction: (t) => `Resume with room for more than ${counted(t.limit, 'fact')}, or propose fewer.`,
  },
  budget_pressure: {
    ...limited,
    outcome: (t) => (t.finalized ? 'succeeded' : 'failed'),
    fields: { threshold: ratio, resource: oneOf('time', 'cost', 'tokens'), finalized: flag },
    describe: (t) =>
      `At ${percent(t.threshold)} of the ${budgetNames[t.resource]} budget the run was told to wrap up, and ${
        t.finalized ? 'gave a final answer' : 'gave no final answer'
      }.`,
    nextAction: (t) =>
      t.finalized
        ? 'Use the output, or resume with a larger budget for a fuller one.'
        : `Resume with a larger ${budgetNames[t.resource]} budget.`,
  },
};

function about({ estimated }: TokenBudget | CostBudget): string {
  return estimated === true ? 'about ' : '';
}

const scopeNames = {
  run: 'run',
  iteration: 'iteration',
  model: 'model call',
  tool: 'tool call',
  stage: 'stage',
  step: 'step',
} as const;

const budgetNames = { time: 'time', cost: 'cost', tokens: 'token' } as const;
