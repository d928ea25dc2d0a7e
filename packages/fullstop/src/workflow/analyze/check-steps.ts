import { type Meaning, stepsWithPaths } from './meaning.js';

/** What the type of each step has to say about it. */
export function checkSteps(meaning: Meaning): void {
  for (const [step, path] of stepsWithPaths(meaning.document))
    meaning.steps.of(step).analysis.check(meaning, step, path);
}
