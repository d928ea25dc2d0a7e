import { isStorable } from '../../termination/text/storable-text.js';
import { suggestion } from '../../termination/text/suggestion.js';
import type { Step } from '../schema/document.js';
import type { DocumentPath } from '../source/problem.js';
import { locate, textsAt } from '../source/yaml-node.js';
import { type Meaning, stepsWithPaths } from './meaning.js';

/** Names that must exist or be the only one of their kind: gate routes, tools, steps and groups. */
export function checkTargets(meaning: Meaning): void {
  checkNames(meaning);
  for (const [step, path] of stepsWithPaths(meaning.document)) {
    checkTools(meaning, step, path);
    // Inside a group a step leads nowhere.
    if (path[0] === 'agents') checkStepTargets(meaning, step, path);
  }
}

/** Names are part of the paths in the journal: no two the same, and each as stores return it. */
function checkNames({ document, root, report }: Meaning): void {
  const seen = new Set<string>();
  for (const key of ['agents', 'parallel', 'for_each'] as const) {
    for (const [index, { name }] of document[key].entries()) {
      const path = [key, index, 'name'];
      if (!isStorable(name)) {
        const message = `The name ${JSON.stringify(name)} has a NUL or half of a surrogate pair in it, which no journal could hold`;
        report.error({ code: 'INVALID_VALUE', message, at: locate(root, path), path, text: name });
      }
      if (seen.has(name)) {
        const message = `Duplicate names: '${name}' is the name of another step or group too`;
        report.error({ code: 'DUPLICATE_NAME', message, at: locate(root, path), path, text: name });
      }
      seen.add(name);
    }
  }
}

function checkStepTargets(meaning: Meaning, step: Step, path: DocumentPath): void {
  for (const target of meaning.steps.of(step).analysis.targets(step))
    checkTarget(meaning, target.to, [...path, ...target.path]);
}

function checkTarget({ names, root, report }: Meaning, target: string, path: DocumentPath): void {
  if (target === '$end' || names.has(target)) return;
  const message = `This routes to unknown agent or parallel group '${target}'${suggestion(target, [...names.all, '$end'])}`;
  report.error({ code: 'UNKNOWN_STEP', message, at: locate(root, path), path, text: target });
}

/** Read from the file: a gate may name tools, though it keeps none. */
function checkTools({ document, root, report }: Meaning, step: Step, path: DocumentPath): void {
  for (const [index, tool] of textsAt(root, [...path, 'tools']).entries()) {
    if (document.tools.includes(tool)) continue;
    const toolPath = [...path, 'tools', index];
    const message = `Agent '${step.name}' references unknown tool '${tool}'${suggestion(tool, document.tools)}`;
    const hint = 'List it under tools at the top of the file';
    report.error({ code: 'UNKNOWN_TOOL', message, hint, at: locate(root, toolPath), path: toolPath, text: tool });
  }
}
