import { type CheckContext, compileFields, found } from './check.js';
import type { AnyTerminationDefinition, DialectWords } from './define-termination.js';
import { type Category, type Ending, type Family, isCategory, isOutcome, type Outcome } from './ending.js';
import { FullstopError } from './errors/fullstop-error.js';
import { describeIncomplete, evidenceIssues } from './incomplete.js';
import { type AnyKindRow, outcomeOfCategory, type Resolver } from './kind-row.js';
import { actionOfCategory } from './kinds/extension.js';
import type { BuiltInKind } from './kinds.js';
import { allKinds, table } from './table.js';
import { sentence } from './text/wording.js';
import { kindOf } from './unregistered.js';

/** Everything that a registry knows about one kind, built-in or not. */
export interface RegisteredKind {
  readonly kind: string;
  readonly family: Family;
  /** The word for dashboards. */
  readonly tag: string;
  /** The names of its fields, or undefined when only its schema knows them. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly dialects: DialectWords;
  category(termination: Ending): Category;
  outcome(termination: Ending): Outcome;
  open(termination: Ending): boolean;
  describe(termination: Ending): string;
  nextAction(termination: Ending): string;
  check(value: Readonly<Record<string, unknown>>, path: string, context: CheckContext): void;
}

/** The kinds that a part of a program knows; there is no global one. `TExtra` are the third-party endings in it. */
export interface TerminationRegistry<TExtra extends Ending = Ending> {
  readonly kinds: readonly string[];
  find(kind: string): RegisteredKind | undefined;
  /** Like `find`, but an unknown kind is a loud `UNREGISTERED_TERMINATION`. */
  get(kind: string): RegisteredKind;
  /** Types only. */
  readonly extra?: TExtra;
}

/** The endings that definitions make. */
export type EndingOf<TDefinition> = TDefinition extends (...fields: never[]) => infer TEnding
  ? Extract<TEnding, Ending>
  : never;

/** Makes a registry of the built-in kinds and the given definitions. */
export function createRegistry<const TDefinitions extends readonly AnyTerminationDefinition[] = []>(
  definitions?: TDefinitions,
): TerminationRegistry<EndingOf<TDefinitions[number]>> {
  if (definitions !== undefined) checkDefinitions(definitions);
  // Most know no others, and servers define the same run for every request: there is one for all of them.
  return definitions === undefined || definitions.length === 0 ? builtIns : registryOf(definitions);
}

function checkDefinitions(definitions: readonly unknown[]): void {
  const isDefinition = (each: unknown): boolean => typeof each === 'function' && 'kind' in each && 'issues' in each;
  if (Array.isArray(definitions) && definitions.every(isDefinition)) return;
  const wrong = Array.isArray(definitions) ? definitions.find((each) => !isDefinition(each)) : definitions;
  throw new FullstopError(
    'INVALID_OPTION',
    `terminations has ${found(wrong)}; it must be a list of what defineTermination(…) gives.`,
  );
}

function registryOf(definitions: readonly AnyTerminationDefinition[]): TerminationRegistry<never> {
  const entries = new Map<string, RegisteredKind>();
  // Built-in kinds are entered when they are first asked for: a run has one ending, and a fresh process pays for each entry.
  const find = (kind: string): RegisteredKind | undefined => entries.get(kind) ?? enterBuiltIn(kind);
  const get = (kind: string): RegisteredKind => find(kind) ?? throwUnregistered(kind);
  const resolver: Resolver = {
    category: (t) => kindOf(t, registry).category(t),
    describe: (t) => kindOf(t, registry).describe(t),
    nextAction: (t) => kindOf(t, registry).nextAction(t),
  };
  const enterBuiltIn = (kind: string): RegisteredKind | undefined => {
    if (!Object.hasOwn(table, kind)) return undefined;
    const entry = fromRow(kind, table[kind as BuiltInKind] as AnyKindRow, resolver);
    entries.set(kind, entry);
    return entry;
  };
  for (const definition of definitions) {
    if (find(definition.kind) !== undefined) throw duplicate(definition.kind);
    entries.set(definition.kind, fromDefinition(definition));
  }
  const registry = { kinds: [...allKinds(), ...definitions.map(({ kind }) => kind)], find, get };
  return registry;
}

/** The registry of the built-in kinds alone. */
export const builtIns: TerminationRegistry<never> = registryOf([]);

function fromRow(kind: string, row: AnyKindRow, resolver: Resolver): RegisteredKind {
  const check = compileFields(row.fields);
  return {
    kind,
    family: row.family,
    tag: kind,
    fields: new Set(Object.keys(row.fields)),
    dialects: {},
    category: (t) => row.category(t as never, resolver),
    outcome: (t) => row.outcome(t as never, resolver),
    open: (t) => row.open(t as never, resolver),
    describe(t) {
      const issues = evidenceIssues(t, check);
      return sentence(issues.length === 0 ? row.describe(t as never, resolver) : describeIncomplete(t, issues));
    },
    nextAction(t) {
      if (evidenceIssues(t, check).length === 0) return sentence(row.nextAction(t as never, resolver));
      return actionOfCategory[row.category(t as never, resolver)];
    },
    check,
  };
}

function fromDefinition(definition: AnyTerminationDefinition): RegisteredKind {
  const { kind, family, tag, dialects } = definition;
  const issuesOf = ({ kind: _kind, cut: _cut, ...fields }: Ending, path = '') => definition.issues(fields, path);
  const category = (t: Ending): Category => answerOf(() => definition.category(t), isCategory) ?? 'fatal';
  return {
    kind,
    family,
    tag,
    fields: undefined,
    dialects,
    category,
    outcome: (t) => answerOf(() => definition.outcome(t), isOutcome) ?? outcomeOfCategory(category(t)),
    open: (t) => category(t) !== 'success',
    describe(t) {
      const issues = issuesOf(t);
      return sentence(issues.length === 0 ? definition.describe(t) : describeIncomplete(t, issues));
    },
    nextAction(t) {
      const isWhole = issuesOf(t).length === 0 && isCategory(definition.category(t));
      return sentence(isWhole ? definition.nextAction(t) : actionOfCategory[category(t)]);
    },
    check(value, path, context) {
      context.issues.push(...issuesOf(value as unknown as Ending, path));
    },
  };
}

/** A word that the code of a definition finds; undefined where the evidence it needs is not there, or the word is none. */
function answerOf<TWord>(ask: () => unknown, isWord: (answer: unknown) => answer is TWord): TWord | undefined {
  try {
    const answer = ask();
    return isWord(answer) ? answer : undefined;
  } catch {
    // An ending must be readable whatever its evidence lacks.
    return undefined;
  }
}

function throwUnregistered(kind: string): never {
  throw new FullstopError(
    'UNREGISTERED_TERMINATION',
    `No kind named ${JSON.stringify(kind)} is registered. Define it with defineTermination and pass the definition on: terminations: [definition] on a run, createRegistry([definition]) for a codec.`,
  );
}

function duplicate(kind: string): FullstopError {
  return new FullstopError(
    'DUPLICATE_KIND',
    `The kind ${JSON.stringify(kind)} is registered twice; each kind needs one definition.`,
  );
}
