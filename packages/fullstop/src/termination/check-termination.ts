import type { Check } from './check.js';
import type { AnyTermination } from './kinds.js';

/** A whole termination, judged by its own row. */
export const termination: Check<AnyTermination> = {
  expected: 'a termination',
  // Itself, a list and the shapes in it: what the deepest kind needs, where a chain of children is cut to its root.
  levels: 3,
  run: (value, path, context) => context.checkTermination(value, path, context),
  cut: (value, place, knife) => knife.termination(value, place),
};
