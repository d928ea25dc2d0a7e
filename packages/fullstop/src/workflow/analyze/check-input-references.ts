import { suggestion } from '../../termination/text/suggestion.js';
import type { Step } from '../schema/document.js';
import type { DocumentPath } from '../source/problem.js';
import { locate, textsAt } from '../source/yaml-node.js';
import { type InputReference, readInputReference } from './input-reference.js';
import { type Meaning, stepsWithPaths } from './meaning.js';

/** The `input` lists of steps: their form and what they name. */
export function checkInputReferences(meaning: Meaning): void {
  for (const [step, path] of stepsWithPaths(meaning.document)) checkStep(meaning, step, path);
}

function checkStep(meaning: Meaning, step: Step, path: DocumentPath): void {
  const { root, report } = meaning;
  // Read from the file: steps that make no use of the list keep none.
  for (const [index, text] of textsAt(root, [...path, 'input']).entries()) {
    const at = { at: locate(root, [...path, 'input', index]), path: [...path, 'input', index], text };
    const reference = readInputReference(text);
    if (reference === undefined) {
      const message = `Agent '${step.name}' has invalid input reference '${text}'`;
      const hint =
        'Write step.output.field, group.outputs.member, group.errors or workflow.input.name, with a ? if it may be missing';
      report.error({ code: 'BAD_INPUT_REFERENCE', message, hint, ...at });
      continue;
    }
    const missing = whatIsMissing(meaning, reference);
    if (missing === undefined) continue;
    const code = 'UNKNOWN_REFERENCE';
    if (reference.optional) {
      report.warn({ code, message: `Agent '${step.name}' has optional reference to ${missing}`, ...at });
    } else {
      report.error({ code, message: `Agent '${step.name}' references ${missing} in input`, ...at });
    }
  }
}

function whatIsMissing({ names }: Meaning, { kind, unit }: InputReference): string | undefined {
  if (kind === 'input') {
    return names.inputs.includes(unit)
      ? undefined
      : `unknown workflow input '${unit}'${suggestion(unit, names.inputs)}`;
  }
  if (kind === 'output') {
    return names.steps.has(unit) ? undefined : `unknown agent '${unit}'${suggestion(unit, [...names.steps])}`;
  }
  return names.groups.has(unit) ? undefined : `unknown parallel group '${unit}'${suggestion(unit, [...names.groups])}`;
}
