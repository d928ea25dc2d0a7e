import { type Meaning, stepsWithPaths } from './meaning.js';

/** The checks of each step by its type. */
export function checkSteps(meaning: Meaning): void {
  for (const [step, path] of stepsWithPaths(meaning.document))
    meaning.steps.of(step).analysis.check(meaning, step, path);
}
