import { type ReadBudgets, readBudgets } from '../../run/changes/budgets.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { createRegistry, type TerminationRegistry } from '../../termination/registry.js';
import { checkConvergenceOptions } from '../options/check-convergence-options.js';
import type { ConvergenceOptions, OscillationOptions } from '../options/convergence-options.js';
import type { Criterion } from '../options/criterion.js';
import { type Families, readFamilies } from '../options/family.js';
import type { Gate } from '../options/gate.js';
import type { Invariant } from '../options/invariant.js';
import type { PromotionGate } from '../options/promotion-gate.js';
import type { AnySuggestor } from '../options/suggestor.js';

/** The options of a convergence, checked and read once. */
export interface Rules {
  readonly options: ConvergenceOptions;
  readonly suggestors: readonly AnySuggestor[];
  readonly byName: ReadonlyMap<string, AnySuggestor>;
  /** The kinds of one's own that the units of suggestors may end with. */
  readonly terminations: readonly AnyTerminationDefinition[];
  readonly registry: TerminationRegistry;
  readonly families: Families;
  readonly keys: readonly string[];
  readonly invariants: readonly Invariant[];
  readonly criteria: readonly Criterion[];
  readonly everyCycle: boolean;
  readonly promotionGates: readonly PromotionGate[];
  readonly gates: readonly Gate[];
  readonly waitsAtGates: boolean;
  readonly budgets: ReadBudgets;
  readonly oscillation: Required<OscillationOptions> | undefined;
}

const usualOscillation = { rejections: 3, contents: 5 } as const;

/** Reads options, and refuses those that cannot be meant. */
export function readRules(options: ConvergenceOptions): Rules {
  checkConvergenceOptions(options);
  const { suggestors, intent, oscillation, concurrency, budgets = {} } = options;
  const byName = new Map(suggestors.map((each) => [each.name, each]));
  if (byName.size < suggestors.length) {
    const twice = suggestors.find((each) => byName.get(each.name) !== each);
    throw new FullstopError('INVALID_OPTION', `Two suggestors are named ${JSON.stringify(twice?.name)}.`);
  }
  if (concurrency !== undefined && (!Number.isSafeInteger(concurrency) || concurrency < 1))
    throw new FullstopError('INVALID_LIMIT', `concurrency is ${concurrency}; it must be a whole number above 0.`);
  if (intent !== undefined && !intent.criteria.some(({ required }) => required))
    throw new FullstopError(
      'INVALID_OPTION',
      'An intent needs at least one required criterion; leave it out for none.',
    );
  const terminations = [...new Set(suggestors.flatMap(definitionsOf))];
  return {
    options,
    suggestors,
    byName,
    terminations,
    registry: createRegistry(terminations),
    families: readFamilies(options.families ?? []),
    keys: options.keys ?? [],
    invariants: uniquely(options.invariants ?? [], 'invariant'),
    criteria: uniquely(intent?.criteria ?? [], 'criterion'),
    everyCycle: intent?.evaluate === 'every_cycle',
    promotionGates: options.promotionGates ?? [],
    gates: options.gates ?? [],
    waitsAtGates: options.whileOpen !== 'continue',
    budgets: readBudgets(budgets),
    oscillation: oscillation === false ? undefined : { ...usualOscillation, ...oscillation },
  };
}

function definitionsOf({ options }: AnySuggestor): readonly AnyTerminationDefinition[] {
  return 'use' in options ? (options.use.terminations ?? []) : [];
}

function uniquely<T extends { readonly name: string } | { readonly id: string }>(
  list: readonly T[],
  what: string,
): readonly T[] {
  const names = list.map((each) => ('name' in each ? each.name : each.id));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return list;
  throw new FullstopError('INVALID_OPTION', `There are two of the ${what} ${JSON.stringify(twice)}.`);
}
