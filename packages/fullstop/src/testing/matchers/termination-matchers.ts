import type { EndingOfKind } from '../../stop/condition.js';
import type { Category, Ending, FieldsOf } from '../../termination/ending.js';
import { categories, isCategory } from '../../termination/ending.js';
import type { TerminationKinds } from '../../termination/kinds.js';
import { firstMisfit } from './fits-evidence.js';
import { type ReadEnding, readEnding } from './read-ending.js';

/** The verdict of a matcher, as vitest and jest read it. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** The kinds that a received value can have: those of its type, or every known one. */
export type ReceivedKind<TReceived> = unknown extends TReceived
  ? keyof TerminationKinds
  : Awaited<TReceived> extends { readonly termination: infer TEnding extends Ending }
    ? Exclude<TEnding['kind'], '_'>
    : Awaited<TReceived> extends Ending
      ? Exclude<Awaited<TReceived>['kind'], '_'>
      : keyof TerminationKinds;

/** Some of the evidence of a kind; where it is an object, some of its members. */
export type SomeEvidence<TKind extends string> = SomeOf<FieldsOf<EndingOfKind<TKind>>>;

type SomeOf<T> = T extends readonly (infer TItem)[]
  ? readonly SomeOf<TItem>[]
  : T extends object
    ? { readonly [P in keyof T]?: SomeOf<T[P]> }
    : T;

/** The matchers as `expect(…)` has them; `TReceived` is the type of the value that was passed to it. */
export interface TerminationMatchers<TResult = void, TReceived = unknown> {
  /** The ending is of this kind and has this evidence; evidence that is not given may be anything. */
  toEndWith<TKind extends ReceivedKind<TReceived>>(kind: TKind, evidence?: SomeEvidence<TKind>): TResult;
  /** The ending is of this category. */
  toEndAs(category: Category): TResult;
}

declare global {
  // vitest and @types/jest both build their `expect` on this interface, so neither has to be installed for it.
  // biome-ignore lint/style/noNamespace: the name is theirs
  namespace jest {
    // biome-ignore lint/complexity/noBannedTypes: type parameters of a merged interface must be written as theirs are
    interface Matchers<R, T = {}> extends TerminationMatchers<R, T> {}
  }
}

function toEndWith(received: unknown, kind: string, evidence: object = {}): MatcherResult {
  const ending = readEnding(received);
  const wanted = Object.keys(evidence).length === 0 ? kind : `${kind} ${textOf(evidence)}`;
  if (typeof ending === 'string') return notRead(`end with ${wanted}`, ending);
  const { termination } = ending;
  if (termination.kind !== kind) return verdict(false, `end with ${wanted}`, ending);
  const misfit = firstMisfit(termination, evidence);
  const note = misfit === undefined ? undefined : `differs:  ${misfit === '' ? 'the whole of it' : misfit}`;
  return verdict(misfit === undefined, `end with ${wanted}`, ending, note);
}

function toEndAs(received: unknown, category: string): MatcherResult {
  if (!isCategory(category)) {
    return notRead(`end as ${category}`, `there is no such category; there are ${categories.join(', ')}.`);
  }
  const ending = readEnding(received);
  if (typeof ending === 'string') return notRead(`end as ${category}`, ending);
  if (ending.category !== undefined) return verdict(ending.category === category, `end as ${category}`, ending);
  const why = `the category of ${JSON.stringify(ending.termination.kind)} is known to its definition only: pass the result or the envelope, which carry it.`;
  return notRead(`end as ${category}`, why);
}

/**
 * Matchers for `expect.extend` of vitest and jest. They read results, envelopes, stages and terminations.
 *
 * @example
 * expect.extend(terminationMatchers);
 * expect(await agent.run('go')).toEndWith('max_iterations', { limit: 25 });
 */
export const terminationMatchers: {
  readonly toEndWith: (received: unknown, kind: string, evidence?: object) => MatcherResult;
  readonly toEndAs: (received: unknown, category: string) => MatcherResult;
} = { toEndWith, toEndAs };

/** Not even `.not` may be satisfied by something that has no ending. */
function notRead(wanted: string, why: string): never {
  throw new TypeError(`Expected something to ${wanted}, but ${why}`);
}

function verdict(pass: boolean, wanted: string, ending: ReadEnding, note?: string): MatcherResult {
  return { pass, message: () => messageOf(pass, wanted, ending, note) };
}

function messageOf(pass: boolean, wanted: string, ending: ReadEnding, note: string | undefined): string {
  const { termination, category, summary, also, of } = ending;
  const { kind, ...evidence } = termination;
  const whose = of === undefined ? 'it' : of;
  const lines = [
    `Expected ${whose} ${pass ? 'not to' : 'to'} ${wanted}, but it ended with ${kind}${category === undefined ? '' : `, which is ${category}`}.`,
    '',
    `evidence: ${textOf(evidence)}`,
    ...(note === undefined ? [] : [note]),
    ...(summary === undefined ? [] : [`summary:  ${summary}`]),
    ...(also.length === 0 ? [] : [`also:     ${also.map((each) => each.kind).join(', ')}`]),
  ];
  return lines.join('\n');
}

const longest = 2_000;

function textOf(value: object): string {
  const seen = new Set<unknown>();
  const text = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null) return typeof inner === 'bigint' ? `${inner}n` : inner;
    if ('asymmetricMatch' in inner) return String(inner);
    if (seen.has(inner)) return '[seen above]';
    seen.add(inner);
    return inner;
  });
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
