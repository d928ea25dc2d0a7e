import type { ParallelGroup, Step, StepType } from '../schema/document.js';
import { locate } from '../source/yaml-node.js';
import { readInputReference } from './input-reference.js';
import type { DocumentPath, Meaning } from './meaning.js';
import { textReferences } from './text-references.js';

/** Steps that wait for a person. For each item of a list they are one question many times; side by side they are not. */
const interactive: ReadonlySet<StepType> = new Set<StepType>(['human_gate', 'questions']);

/** What may be in a group, and that its members do not wait for each other. */
export function checkGroups(meaning: Meaning): void {
  const { document } = meaning;
  for (const [groupIndex, group] of document.parallel.entries()) {
    for (const [index, name] of group.agents.entries()) {
      const step = document.agents.find((candidate) => candidate.name === name);
      if (step !== undefined) checkMember(meaning, { group, step, path: ['parallel', groupIndex, 'agents', index] });
    }
  }
  for (const [index, group] of document.for_each.entries()) {
    const { agent } = group;
    const path = ['for_each', index, 'agent'];
    warnAboutRoutes(meaning, agent, path);
  }
}

interface Member {
  readonly group: ParallelGroup;
  readonly step: Step;
  readonly path: DocumentPath;
}

function checkMember(meaning: Meaning, { group, step, path }: Member): void {
  const { root, report } = meaning;
  const at = { at: locate(root, path), path, text: step.name };
  const subject = `Agent '${step.name}' in parallel group '${group.name}'`;
  if ('routes' in step && step.routes.length > 0) {
    report.error({
      code: 'ROUTES_IN_GROUP',
      message: `${subject} cannot have routes`,
      hint: 'Put them on the group',
      ...at,
    });
  }
  if (interactive.has(step.type)) {
    const kind = step.type === 'human_gate' ? 'human gate' : 'questions step';
    const message = `${subject} is a ${kind}; steps that ask a person cannot be in a group`;
    report.error({ code: 'STEP_IN_GROUP', message, ...at });
  }
  for (const sibling of siblingsIn(step)) {
    if (sibling === step.name || !group.agents.includes(sibling)) continue;
    const message = `${subject} references another agent '${sibling}' in the same parallel group`;
    report.error({ code: 'SIBLING_REFERENCE', message, hint: 'Members of a group run at the same time', ...at });
  }
}

/** What a member reads by its declared inputs, and the templates of a value. */
function siblingsIn(step: Step): ReadonlySet<string> {
  const declared = 'input' in step ? step.input.map((input) => readInputReference(input)?.unit) : [];
  const templates = step.type === 'set' ? [step.value ?? '', ...(step.values?.values() ?? [])] : [];
  const read = templates.flatMap((text) =>
    textReferences({ kind: 'template', text, path: [] })
      .references.filter(({ path }) => path[0] === 'output')
      .map(({ root }) => root),
  );
  return new Set([...declared, ...read].filter((name) => name !== undefined));
}

/** The way goes on behind the group, whatever its members say. An option must have a route, so `$end` is no mistake. */
function warnAboutRoutes({ root, report }: Meaning, step: Step, path: DocumentPath): void {
  const warn = (what: string, at: DocumentPath): void => {
    const message = `${what} inside a for_each group have no effect`;
    report.warn({ code: 'KEY_WITHOUT_EFFECT', message, at: locate(root, at), path: at });
  };
  if ('routes' in step && step.routes.length > 0) warn('The routes of a step', [...path, 'routes']);
  const leads = step.type === 'human_gate' && step.options.some(({ route }) => route !== '$end');
  if (leads) warn('The routes of options', [...path, 'options']);
}
