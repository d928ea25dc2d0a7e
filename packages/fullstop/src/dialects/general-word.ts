import { category, outcome } from '../termination/classify.js';
import type { Category, Ending, Outcome } from '../termination/ending.js';
import type { BuiltInKind } from '../termination/kinds.js';
import type { TerminationRegistry } from '../termination/registry.js';
import { rootCause } from '../termination/root-cause.js';
import type { ForeignTermination } from './dialect.js';

/** The words of a vocabulary for endings that it has no word of their own for. */
export interface GeneralWords<TWord> {
  readonly byCategory: Readonly<Record<Category, TWord>>;
  /** Kinds whose readers are served better by another word than that of their category. */
  readonly byKind?: Readonly<Partial<Record<BuiltInKind, TWord>>>;
  /** For an ending of which not even the category is known. */
  readonly unknown: TWord;
}

/** The general word for an ending: that of its kind, else of its category. */
export function generalWord<TWord>(
  termination: Ending | ForeignTermination,
  registry: TerminationRegistry,
  words: GeneralWords<TWord>,
): TWord {
  const { byKind = {}, byCategory } = words;
  if (Object.hasOwn(byKind, termination.kind)) return byKind[termination.kind as BuiltInKind] as TWord;
  // A limit that still left time for a final answer is a success to a reader who only asks for the answer.
  const isAnswer = outcomeOf(termination, registry) === 'succeeded';
  const found = isAnswer ? 'success' : categoryOf(termination, registry);
  return found === undefined ? words.unknown : byCategory[found];
}

/** The outcome of an ending; undefined where the registry does not know the kind, or a custom ending has no category. */
export function outcomeOf(
  termination: Ending | ForeignTermination,
  registry: TerminationRegistry,
): Outcome | undefined {
  return categoryOf(termination, registry) && outcome(termination as Ending, registry);
}

function categoryOf(termination: Ending | ForeignTermination, registry: TerminationRegistry): Category | undefined {
  // An unknown ending must not be written as a failure that someone saw.
  const isUnknown =
    termination.kind === 'custom' && (termination as ForeignTermination<'custom'>).category === undefined;
  if (isUnknown) return undefined;
  // A third-party kind without its definition, maybe deep inside.
  if (registry.find(rootCause(termination as Ending).kind) === undefined) return undefined;
  return category(termination as Ending, registry);
}
