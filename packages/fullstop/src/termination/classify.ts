import type { Category, CategoryOf, Ending, Family, FamilyOf, Outcome } from './ending.js';
import { builtIns, type TerminationRegistry } from './registry.js';

/** The reaction that an ending asks for: the one question of retry logic. */
export function category<TEnding extends Ending>(
  termination: TEnding,
  registry: TerminationRegistry = builtIns,
): CategoryOf<TEnding> {
  const answer: Category = registry.get(termination.kind).category(termination);
  return answer as CategoryOf<TEnding>;
}

/** The verdict over the work, before a run's own `treatAsSuccess`. */
export function outcome<TEnding extends Ending>(
  termination: TEnding,
  registry: TerminationRegistry = builtIns,
): Outcome {
  return registry.get(termination.kind).outcome(termination);
}

/** Where the cause of an ending comes from. */
export function family<TEnding extends Ending>(
  termination: TEnding,
  registry: TerminationRegistry = builtIns,
): FamilyOf<TEnding> {
  const answer: Family = registry.get(termination.kind).family;
  return answer as FamilyOf<TEnding>;
}

/** True when a run may be resumed after this ending. */
export function isOpen<TEnding extends Ending>(
  termination: TEnding,
  registry: TerminationRegistry = builtIns,
): boolean {
  return registry.get(termination.kind).open(termination);
}

/** One English sentence that says why it stopped, with the evidence. */
export function describe<TEnding extends Ending>(
  termination: TEnding,
  registry: TerminationRegistry = builtIns,
): string {
  return registry.get(termination.kind).describe(termination);
}

/** One English sentence that says what to do now. */
export function nextAction<TEnding extends Ending>(
  termination: TEnding,
  registry: TerminationRegistry = builtIns,
): string {
  return registry.get(termination.kind).nextAction(termination);
}
