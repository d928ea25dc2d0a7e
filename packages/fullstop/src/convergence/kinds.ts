import type { ConvergenceBudgets } from '../run/changes/budgets.js';
import type { EndingOfKind } from '../stop/condition.js';
import type { ConvergenceInput, ConvergenceOptions, ConvergenceSummary } from './options/convergence-options.js';

/** The kinds that every convergence can end with, whatever its options. */
export const baseKinds = [
  'cycle_budget',
  'agent_refused',
  'cancelled',
  'failed',
  'abandoned',
  // Suggestors and rules may ask models by themselves.
  'prompt_too_long',
  'provider_auth',
  'provider_failed',
  'provider_quota',
] as const;

type BaseKind = (typeof baseKinds)[number];

interface KindOfBudget {
  readonly cycles: 'cycle_budget';
  readonly facts: 'fact_budget';
  readonly tokens: 'token_budget';
  readonly costUsd: 'cost_budget';
  readonly time: 'time_budget';
}

const budgetKinds: KindOfBudget & Required<Record<keyof ConvergenceBudgets, string>> = {
  cycles: 'cycle_budget',
  facts: 'fact_budget',
  tokens: 'token_budget',
  costUsd: 'cost_budget',
  time: 'time_budget',
};

/** The kinds of the budgets that are set. */
export type BudgetKinds<TBudgets> = {
  [K in keyof KindOfBudget]: TBudgets extends { readonly [P in K]: infer TValue }
    ? [TValue] extends [undefined]
      ? never
      : KindOfBudget[K]
    : never;
}[keyof KindOfBudget];

type ListOf<TOptions, TName extends string> = TOptions extends { readonly [P in TName]: infer TList }
  ? TList extends readonly (infer TMember)[]
    ? TMember
    : never
  : never;

type KindOf<TMember> = TMember extends { readonly kinds?: () => infer TKind } ? TKind & string : never;

type FatalKinds<TOptions> =
  | (ListOf<TOptions, 'promotionGates'> extends infer TGate
      ? TGate extends { readonly fatal: infer TFatal }
        ? true extends TFatal
          ? 'promotion_rejected'
          : never
        : never
      : never)
  | (TOptions extends { readonly onConflict: 'end' } ? 'promotion_rejected' : never);

type RestKinds<TOptions> = TOptions extends { readonly intent: object }
  ? 'criteria_met' | 'criteria_unmet' | 'human_intervention_required'
  : 'converged';

/** The kinds that a convergence with these options can end with. */
export type ConvergenceKind<TOptions> =
  | BaseKind
  | RestKinds<TOptions>
  | FatalKinds<TOptions>
  | KindOf<ListOf<TOptions, 'suggestors'>>
  | KindOf<ListOf<TOptions, 'gates'>>
  | ([ListOf<TOptions, 'invariants'>] extends [never] ? never : 'invariant_violated')
  | (TOptions extends { readonly budgets: infer TBudgets } ? BudgetKinds<TBudgets> : never)
  | (TOptions extends { readonly oscillation: false } ? never : 'loop_detected' | 'promotion_rejected');

/** The endings of a convergence with these options. */
export type ConvergenceEnding<TOptions> = EndingOfKind<ConvergenceKind<TOptions>>;

/** The output of a convergence with these options. */
export type ConvergenceOutput<TOptions> = TOptions extends { readonly output: (...values: never[]) => infer TOutput }
  ? Awaited<TOutput>
  : ConvergenceSummary;

/** The input of a convergence with these options. */
export type InputOf<TOptions> = TOptions extends { readonly seed: (input: infer TInput) => unknown }
  ? TInput
  : ConvergenceInput | undefined;

/** The kinds that a convergence with these options can end with: at run time what the type of its result says. */
export function possibleKinds(options: ConvergenceOptions): readonly string[] {
  const { suggestors, intent, invariants = [], promotionGates = [], gates = [], budgets = {}, onConflict } = options;
  const units = suggestors.filter((each) => 'use' in each.options).map((each) => each.options as UnitOptions);
  const expiring = gates.some(({ options: { deadline, onExpiry = 'end' } }) => {
    return deadline !== undefined && (onExpiry === 'end' || onExpiry === 'escalate');
  });
  const fatal = onConflict === 'end' || promotionGates.some((gate) => gate.fatal);
  return [
    ...new Set([
      ...baseKinds,
      ...(intent === undefined ? ['converged'] : ['criteria_met', 'criteria_unmet', 'human_intervention_required']),
      ...(fatal ? ['promotion_rejected'] : []),
      ...(units.length > 0 ? ['child_failed'] : []),
      ...units.flatMap(({ use }) => (use.kinds ?? pauses).filter((kind) => pauses.includes(kind))),
      ...(gates.length > 0 ? ['gate_pending'] : []),
      ...(expiring ? ['gate_expired'] : []),
      ...(invariants.length > 0 ? ['invariant_violated'] : []),
      ...kindsOfBudgets(budgets),
      ...(options.oscillation === false ? [] : ['loop_detected', 'promotion_rejected']),
    ]),
  ];
}

const pauses: readonly string[] = ['gate_pending', 'interaction_pending'];

interface UnitOptions {
  readonly use: { readonly kinds?: readonly string[] };
}

/** The kinds of budgets that are set, at run time. */
export function kindsOfBudgets(budgets: ConvergenceBudgets): readonly string[] {
  const names = Object.keys(budgetKinds) as (keyof ConvergenceBudgets)[];
  return names.filter((name) => budgets[name] !== undefined).map((name) => budgetKinds[name]);
}
