import { type CheckContext, compileFields, found } from './check.js';
import { defaultLimits, firstNonJson, measure } from './codec/measure.js';
import { invalidFields } from './define-termination.js';
import type { Ending, FieldsOf } from './ending.js';
import type { BuiltInKind, Termination } from './kinds.js';
import { builtIns } from './registry.js';
import { allKinds, table } from './table.js';
import { validate } from './validate.js';

/** Fields that a constructor fills in when they are left out. */
interface Defaults {
  readonly max_iterations: { readonly unit: 'iteration' };
  readonly time_budget: { readonly scope: 'run' };
}

const defaults: Defaults = { max_iterations: { unit: 'iteration' }, time_budget: { scope: 'run' } };

type Input<TKind extends BuiltInKind> = TKind extends keyof Defaults
  ? Omit<FieldsOf<Termination<TKind>>, keyof Defaults[TKind]> & Partial<FieldsOf<Termination<TKind>>>
  : FieldsOf<Termination<TKind>>;

/** Makes terminations of one kind and recognises them. */
export interface TerminationConstructor<TKind extends BuiltInKind> {
  (
    ...fields: Record<string, never> extends Input<TKind> ? [fields?: Input<TKind>] : [fields: Input<TKind>]
  ): Termination<TKind>;
  readonly kind: TKind;
  is(termination: Ending): termination is Termination<TKind>;
}

type CamelCase<T extends string> = T extends `${infer THead}_${infer TTail}`
  ? `${THead}${Capitalize<CamelCase<TTail>>}`
  : T;

/** One constructor for each built-in kind, in camel case. */
export type Terminations = { readonly [K in BuiltInKind as CamelCase<K>]: TerminationConstructor<K> };

/**
 * Makes terminations; evidence that does not fit is refused with `INVALID_TERMINATION`.
 *
 * @example
 * terminations.maxIterations({ limit: 25, used: 25 }); // { kind: 'max_iterations', limit: 25, used: 25, unit: 'iteration' }
 */
export const terminations: Terminations = Object.fromEntries(
  allKinds().map((kind) => [camelCase(kind), constructorOf(kind)]),
) as unknown as Terminations;

/** True for a built-in termination that is valid in every field and within the limits of the wire form. */
export function isTermination(value: unknown): value is Termination {
  try {
    if (measure(value, defaultLimits) !== undefined) return false;
    return validate(value, { registry: builtIns, unknownFields: 'keep', unknownKinds: 'reject' }).length === 0;
  } catch {
    // An object whose getters or traps throw is not plain data, so it is no termination.
    return false;
  }
}

function constructorOf(kind: BuiltInKind): object {
  // Compiled with the first termination of its kind: a program makes few of them.
  let check: ReturnType<typeof compileFields> | undefined;
  const fill: object = kind in defaults ? defaults[kind as keyof Defaults] : {};
  const make = (fields: object = {}): Ending => {
    // Filled in after the given fields, so that the wire form reads in the order of the documentation.
    const given = present(fields);
    const made: Ending & Record<string, unknown> = Object.assign({ kind }, given, fill, given, { kind });
    const context: CheckContext = { issues: [], unknownFields: 'keep', checkTermination: acceptInner };
    check ??= compileFields(table[kind].fields);
    check(made, '', context);
    const issue = context.issues.length > 0 ? undefined : firstNonJson(made);
    if (issue !== undefined) context.issues.push(issue);
    if (context.issues.length > 0) throw invalidFields(kind, context.issues);
    return made;
  };
  return Object.assign(make, { kind, is: (termination: Ending) => termination.kind === kind });
}

/** A field that is undefined counts as left out. */
function present(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** An inner termination was made by its own constructor, maybe of a kind that only its registry knows. */
function acceptInner(value: unknown, path: string, context: CheckContext): void {
  if (typeof (value as Partial<Ending> | null)?.kind === 'string') return;
  context.issues.push({ code: 'invalid', path, message: `expected a termination, found ${found(value)}` });
}

function camelCase(kind: string): string {
  return kind.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
