import type { Clock } from '../../engines/port/clock.js';
import type { AbortSignalLike, RunnableDefinition } from '../../engines/port/engine.js';
import type { Charge } from '../../engines/port/usage.js';
import type { LedgerView } from '../../run/accounts/ledger.js';
import { checkRetry } from '../../run/check-step-options.js';
import type { RunLimits } from '../../run/limits.js';
import type { RetryPolicy } from '../../run/retry.js';
import type { RunContext, RunEnd } from '../../run/run-context.js';
import type { Secrets } from '../../run/secrets/secrets.js';
import { checkOptions, invalidOption, oneWord, someFunction, trueOrFalse } from '../../stop/check-option.js';
import { type Duration, durationLimit } from '../../stop/duration.js';
import type { AnyTerminationDefinition } from '../../termination/define-termination.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isObject, type JsonValue } from '../../termination/json.js';
import { checkKey, type FactOptions, type Proposal } from '../facts/fact.js';
import type { FactView } from '../facts/fact-view.js';
import type { ProposalRejection } from '../facts/rejection.js';
import type { FactFamily } from './family.js';

/** The view of a suggestor: the facts as they were before its cycle, the same for all suggestors of the cycle. */
export interface SuggestorView {
  readonly facts: FactView;
  readonly cycle: number;
  /** Its own proposals that were not promoted, with the reasons, oldest first. */
  readonly rejections: readonly ProposalRejection[];
}

/** Proposes a fact under a key or in a family. */
export interface ProposeFact {
  <TPayload>(key: FactFamily<TPayload>, payload: TPayload, options?: FactOptions): void;
  (key: string, payload: unknown, options?: FactOptions): void;
}

/** The world of a suggestor that is asked. */
export interface SuggestorContext extends SuggestorView {
  readonly propose: ProposeFact;
  /** Declines, with a reason; ends the run unless the suggestor is optional. */
  refuse(reason: string): void;
  /** Reports what this costs; it counts against the budgets. */
  charge(charge: Charge): void;
  readonly signal: AbortSignalLike;
  /** The account: what is used and what is left. */
  readonly ledger: LedgerView;
  readonly clock: Clock;
  readonly attempt: number;
  /** The same for every attempt and after every crash. */
  readonly idempotencyKey: string;
  unseal<T>(value: T): T;
}

/** Options of every suggestor. */
export interface SuggestorRules {
  /** Keys or families whose new facts wake it; without any it is asked in every cycle. */
  readonly dependsOn?: readonly (string | FactFamily<unknown>)[];
  /** Pure: whether there is anything to do. */
  readonly accepts?: (view: SuggestorView) => boolean;
  /** Its failures and refusals are noted and do not end the run. */
  readonly optional?: boolean;
}

/** Options of a suggestor that is a function. */
export interface SuggestorExecuteOptions extends SuggestorRules {
  /** Performed as one step. What it proposes counts when it has come back. */
  readonly execute: (context: SuggestorContext) => unknown;
  readonly retry?: RetryPolicy;
  /** It fails when an attempt takes longer. */
  readonly timeout?: Duration;
}

/** An agent, a pipeline, a convergence or whatever else runs inside a run. */
export interface RunsWithin<TInput, TResult> {
  readonly name: string;
  /** The definitions of kinds of its own; its convergence learns them. */
  readonly terminations?: readonly AnyTerminationDefinition[];
  /** Limits of its own; never more than is left of the convergence. */
  readonly limits?: RunLimits;
  /** The secrets that it seals; its convergence seals them too. */
  readonly secrets?: Secrets;
  run(input: TInput): Promise<TResult>;
  within(context: RunContext, input: TInput): Promise<RunEnd<Ending>>;
}

/** How a unit came out, for `propose`. */
export interface SuggestorUnitView extends SuggestorView {
  readonly output: JsonValue | undefined;
  readonly termination: Ending;
  readonly propose: ProposeFact;
}

/** Options of a suggestor that is an agent, a pipeline or another run. */
export interface SuggestorUseOptions<TInput, TResult> extends SuggestorRules {
  /** Runs as a unit inside this run, with its own ending; one that is no success ends this run as `child_failed`. */
  readonly use: RunsWithin<TInput, TResult>;
  readonly input: (view: SuggestorView) => TInput;
  /** Says what follows from its output. */
  readonly propose: (view: SuggestorUnitView) => unknown;
  /** With `queue` it is a run of its own each time, which a worker takes from a queue where the engine has queues. */
  readonly spawn?: 'queue';
}

/** Someone who looks at the facts and proposes new ones. */
export interface Suggestor<TKind extends string = never> {
  readonly name: string;
  readonly dependsOn: readonly string[];
  readonly optional: boolean;
  readonly accepts?: (view: SuggestorView) => boolean;
  readonly timeoutMs?: number;
  readonly options: SuggestorExecuteOptions | SuggestorUseOptions<never, unknown>;
  /** Types only: what it adds to the endings of the run. */
  readonly kinds?: () => TKind;
}

/** A suggestor of any sort. */
export type AnySuggestor = Suggestor<string>;

type PausedKind = 'gate_pending' | 'interaction_pending' | 'gate_expired';

/** The pauses of a unit are the pauses of its run. */
type KindsOfUnit<TResult> = TResult extends { readonly termination: { readonly kind: infer TKind } }
  ? 'child_failed' | Exclude<Extract<TKind, PausedKind>, 'gate_expired'>
  : 'child_failed';

/**
 * Defines a suggestor.
 *
 * @example
 * suggestor('risk', { dependsOn: ['request'], execute: ({ facts, propose }) => propose('risk', { score: 3 }) });
 */
export function suggestor<TInput, TResult>(
  name: string,
  options: SuggestorUseOptions<TInput, TResult>,
): Suggestor<KindsOfUnit<TResult>>;
export function suggestor(name: string, options: SuggestorExecuteOptions): Suggestor;
export function suggestor<TInput, TResult>(
  name: string,
  options: SuggestorExecuteOptions | SuggestorUseOptions<TInput, TResult>,
): Suggestor<string> {
  if (!/^[A-Za-z0-9][\w .-]{0,63}$/.test(name) || name === 'input' || name === 'engine') {
    throw new FullstopError(
      'INVALID_OPTION',
      `A suggestor is named ${JSON.stringify(name)}; a name begins with a letter or digit, has at most 64 letters, digits, " ", ".", "_" or "-", and is neither input nor engine.`,
    );
  }
  checkSuggestorOptions(name, options);
  const timeout = 'timeout' in options ? options.timeout : undefined;
  if ('retry' in options && options.retry !== undefined) checkRetry(options.retry, `suggestor ${name}`);
  const place = { builder: `suggestor ${name}`, option: 'timeout' };
  const timeoutMs = timeout === undefined ? undefined : durationLimit(timeout, place);
  return {
    name,
    // Read once, so that what wakes it cannot change while it runs.
    dependsOn: keysOf(options.dependsOn ?? [], `suggestor ${name}`),
    optional: options.optional ?? false,
    options: options as Suggestor['options'],
    ...(options.accepts !== undefined && { accepts: options.accepts }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

const shared = ['dependsOn', 'accepts', 'optional'] as const;

function checkSuggestorOptions<TInput, TResult>(
  name: string,
  options: SuggestorExecuteOptions | SuggestorUseOptions<TInput, TResult>,
): void {
  const builder = `suggestor ${name}`;
  const isUnit = isObject(options) && 'use' in options;
  if (isUnit) checkUnitOptions(options as SuggestorUseOptions<TInput, TResult>, builder);
  else checkOptions(options as SuggestorExecuteOptions, builder, [...shared, 'execute', 'retry', 'timeout']);
  const given = options as unknown as Readonly<Record<string, unknown>>;
  for (const option of isUnit ? ['input', 'propose'] : ['execute']) someFunction(given[option], { builder, option });
  if (options.accepts !== undefined) someFunction(options.accepts, { builder, option: 'accepts' });
  if (options.optional !== undefined) trueOrFalse(options.optional, { builder, option: 'optional' });
}

function checkUnitOptions<TInput, TResult>(options: SuggestorUseOptions<TInput, TResult>, builder: string): void {
  const { use, spawn } = checkOptions(options, builder, [...shared, 'use', 'input', 'propose', 'spawn']);
  if (spawn !== undefined) oneWord(spawn, { builder, option: 'spawn' }, ['queue']);
  if (!hasMethod(use, 'within')) {
    const expected = 'an agent, a pipeline, a convergence or whatever else runs inside a run';
    throw invalidOption(use, { builder, option: 'use' }, expected);
  }
  if (spawn !== undefined && !hasMethod(use, 'execute'))
    throw invalidOption(use, { builder, option: 'use' }, 'a definition that can be a run of its own, because of spawn');
}

function hasMethod(use: unknown, member: 'within' | 'execute'): boolean {
  return isObject(use) && typeof use[member] === 'function';
}

/** The definition that a suggestor runs as runs of its own, if it does. */
export function spawnedBy({ options }: AnySuggestor): RunnableDefinition | undefined {
  const { use, spawn } = options as SuggestorUseOptions<unknown, unknown>;
  // Checked when the suggestor was made.
  return spawn === undefined ? undefined : (use as unknown as RunnableDefinition);
}

/** A key that cannot be would never wake it. */
function keysOf(dependsOn: readonly (string | FactFamily<unknown>)[], builder: string): readonly string[] {
  if (!Array.isArray(dependsOn)) throw invalidOption(dependsOn, { builder, option: 'dependsOn' }, 'a list');
  return dependsOn.map((each: string | FactFamily<unknown>, index) => {
    const key: unknown = isObject(each) ? each['key'] : each;
    checkKey(key, { builder, option: `dependsOn[${index}]` });
    return key as string;
  });
}

/** The result of a suggestor, as the journal holds it. */
export interface SuggestorOutcome {
  readonly proposals: readonly Proposal[];
  readonly refused?: string;
  readonly charge?: Charge;
}
