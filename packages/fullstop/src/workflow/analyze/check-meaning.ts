import type { WorkflowDocument } from '../schema/document.js';
import { checkEffects } from './check-effects.js';
import { checkGroups } from './check-groups.js';
import { checkInputReferences } from './check-input-references.js';
import { checkOutputPaths } from './check-output-paths.js';
import { checkSteps } from './check-steps.js';
import { checkTargets } from './check-targets.js';
import { checkTexts } from './check-texts.js';
import type { Check, DocumentNames, Meaning } from './meaning.js';

const checks: readonly Check[] = [
  checkTargets,
  checkGroups,
  checkInputReferences,
  checkTexts,
  checkOutputPaths,
  checkSteps,
  checkEffects,
];

/** Checks what the parts of a well-formed document mean together. */
export function checkMeaning(source: Omit<Meaning, 'names'>): void {
  const meaning: Meaning = { ...source, names: namesOf(source.document) };
  for (const check of checks) check(meaning);
}

function namesOf(document: WorkflowDocument): DocumentNames {
  const steps = document.agents.map(({ name }) => name);
  const groups = [...document.parallel, ...document.for_each].map(({ name }) => name);
  const all = new Set([...steps, ...groups]);
  return {
    steps: new Set(steps),
    groups: new Set(groups),
    all: [...all],
    has: (name) => all.has(name),
    inputs: [...document.workflow.input.keys()],
  };
}
