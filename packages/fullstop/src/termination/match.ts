import type { Category, CategoryOf, Ending, InCategory } from './ending.js';
import { FullstopError } from './errors/fullstop-error.js';
import { builtIns } from './registry.js';
import { kindOf, type RegistryFor } from './unregistered.js';

/** The termination that an arm receives: its own kind, or for `_` all kinds without an arm. */
type ArmInput<TEnding extends Ending, THandled extends string, TArm extends string> = TArm extends '_'
  ? Exclude<TEnding, { readonly kind: Exclude<THandled, '_'> }>
  : Extract<TEnding, { readonly kind: TArm }>;

/** Demands an arm for every kind that has none, unless there is a `_`; kinds that no type lists need the `_`. */
type Missing<TEnding extends Ending, THandled extends string> = '_' extends THandled
  ? unknown
  : string extends TEnding['kind']
    ? { readonly _: (termination: TEnding) => unknown }
    : {
        readonly [K in Exclude<TEnding['kind'], THandled>]: (
          termination: Extract<TEnding, { readonly kind: K }>,
        ) => unknown;
      };

/**
 * Calls the arm of the termination's kind. The arms must cover exactly the kinds of the argument's type;
 * `_` takes the rest.
 *
 * @example
 * match(result.termination, {
 *   natural_end: () => 'done',
 *   max_iterations: (t) => `raise ${t.limit}`,
 *   _: (t) => describe(t),
 * });
 */
export function match<
  TEnding extends Ending,
  THandled extends TEnding['kind'] | '_',
  TArms extends { readonly [K in THandled]: (termination: never) => unknown },
>(
  termination: TEnding,
  arms: TArms & { readonly [K in THandled]: (termination: ArmInput<TEnding, THandled, K>) => unknown } & Missing<
      TEnding,
      NoInfer<THandled>
    >,
): ReturnType<TArms[keyof TArms & THandled]> {
  const table = arms as Readonly<Record<string, ((termination: TEnding) => unknown) | undefined>>;
  const arm = ownArm(table, termination.kind) ?? ownArm(table, '_');
  if (arm === undefined) throw noArm('match', termination.kind, Object.keys(table));
  return arm(termination) as ReturnType<TArms[keyof TArms & THandled]>;
}

/** An arm for each category that the argument's type can have; arms for the others may be there and are never called. */
type CategoryArms<TEnding extends Ending> = {
  readonly [C in CategoryOf<TEnding>]: (termination: InCategory<TEnding, C>) => unknown;
} & { readonly [C in Exclude<Category, CategoryOf<TEnding>>]?: (termination: never) => unknown };

/** Calls the arm of the termination's category; each arm sees only the kinds that can have it. */
export function matchCategory<
  TEnding extends Ending,
  TArms extends { readonly [C in CategoryOf<TEnding>]: (termination: never) => unknown },
>(
  termination: TEnding,
  arms: TArms & CategoryArms<TEnding>,
  ...registry: RegistryFor<TEnding>
): ReturnType<TArms[CategoryOf<TEnding>]> {
  const table = arms as unknown as Readonly<Record<string, ((termination: TEnding) => unknown) | undefined>>;
  const found = kindOf(termination, registry[0] ?? builtIns).category(termination);
  const arm = ownArm(table, found);
  if (arm === undefined) throw noArm('matchCategory', found, Object.keys(table));
  return arm(termination) as ReturnType<TArms[CategoryOf<TEnding>]>;
}

// Own properties only: a kind named like a method of Object must not find that method.
function ownArm<TArm>(arms: Readonly<Record<string, TArm>>, name: string): TArm | undefined {
  return Object.hasOwn(arms, name) ? arms[name] : undefined;
}

function noArm(caller: 'match' | 'matchCategory', name: string, arms: readonly string[]): FullstopError {
  const remedy = caller === 'match' ? 'Add the arm or a _ arm.' : 'Add the arm.';
  return new FullstopError(
    'NO_MATCHING_ARM',
    `${caller} has no arm for ${JSON.stringify(name)} (arms: ${arms.join(', ')}); the type of its argument did not list it. ${remedy}`,
  );
}
