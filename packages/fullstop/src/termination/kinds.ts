import type { Category, Ending, Family } from './ending.js';
import type { CompletionKinds } from './kinds/completion.js';
import type { DetectorKinds } from './kinds/detector.js';
import type { ErrorKinds } from './kinds/error.js';
import type { ExtensionKinds } from './kinds/extension.js';
import type { ExternalKinds } from './kinds/external.js';
import type { HumanKinds } from './kinds/human.js';
import type { LimitKinds } from './kinds/limit.js';
import type { ValidationKinds } from './kinds/validation.js';

/** The kinds that come with the library. */
export interface BuiltInKinds
  extends CompletionKinds,
    LimitKinds,
    DetectorKinds,
    HumanKinds,
    ValidationKinds,
    ExternalKinds,
    ErrorKinds,
    ExtensionKinds {}

/**
 * Every kind that this program knows: the built-in ones and those that libraries merge in.
 *
 * @example
 * declare module 'fullstop' {
 *   interface TerminationKinds { 'billing.reconciled': typeof reconciled }
 * }
 */
export interface TerminationKinds extends BuiltInKinds {}

/** The name of a kind of ending that comes with the library. */
export type BuiltInKind = keyof BuiltInKinds;

/** A built-in termination; `Termination<'max_iterations' | 'cancelled'>` is just those two. */
export type Termination<TKind extends BuiltInKind = BuiltInKind> = BuiltInKinds[TKind];

/** Stands in a type for kinds that it cannot list. It never exists at run time; it makes `match` ask for `_`. */
export interface Unlisted extends Ending<'_', Category, Family> {}

/** The meaning of a merged kind: the endings of a definition (which has a kind too, so it comes first), or an ending. */
type Declared<TKind extends string, TEntry> = TEntry extends (...input: never[]) => infer TEnding
  ? Extract<TEnding, Ending>
  : TEntry extends Ending
    ? TEntry
    : Ending<TKind> & TEntry;

/** Any termination at all, for places that know no definition; matching it needs a `_` arm. */
export type AnyTermination =
  | { [K in keyof TerminationKinds]: Declared<K, TerminationKinds[K]> }[keyof TerminationKinds]
  | Unlisted;
