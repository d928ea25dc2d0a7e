import { routeGraph } from '../graph/route-graph.js';
import type { WorkflowDocument } from '../schema/document.js';
import { checkChildren } from './check-children.js';
import { checkEffects } from './check-effects.js';
import { checkGroups } from './check-groups.js';
import { checkInputReferences } from './check-input-references.js';
import { checkOutputPaths } from './check-output-paths.js';
import { checkTargets } from './check-targets.js';
import { checkTexts } from './check-texts.js';
import type { Check, DocumentNames, Meaning } from './meaning.js';

const checks: readonly Check[] = [
  checkTargets,
  checkGroups,
  checkInputReferences,
  checkTexts,
  checkOutputPaths,
  checkChildren,
  checkEffects,
];

/** Checks what the parts of a well-formed document mean together. */
export function checkMeaning(source: Omit<Meaning, 'graph' | 'names'>): void {
  const meaning: Meaning = { ...source, graph: routeGraph(source.document), names: namesOf(source.document) };
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
