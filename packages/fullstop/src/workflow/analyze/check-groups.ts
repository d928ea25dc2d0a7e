import type { ForEachGroup, Step } from '../schema/document.js';
import type { ParallelGroup } from '../schema/record-types.js';
import type { DocumentPath } from '../source/problem.js';
import { locate } from '../source/yaml-node.js';
import { readInputReference } from './input-reference.js';
import type { Meaning } from './meaning.js';
import { textReferences } from './text-references.js';

/** Checks what may be in a group, and that its members do not wait for each other. */
export function checkGroups(meaning: Meaning): void {
  const { document } = meaning;
  for (const [groupIndex, group] of document.parallel.entries()) {
    for (const [index, name] of group.agents.entries()) {
      const step = document.agents.find((candidate) => candidate.name === name);
      const path = ['parallel', groupIndex, 'agents', index];
      if (step === undefined) continue;
      checkMember(meaning, { group, step, path });
      checkSpawned(meaning, { group, step, path });
    }
  }
  for (const [index, group] of document.for_each.entries()) {
    const { agent } = group;
    const path = ['for_each', index, 'agent'];
    warnAboutRoutes(meaning, agent, path);
    checkSpawned(meaning, { group, step: agent, path });
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
  const refused = meaning.steps.of(step).analysis.refusedInGroup;
  if (refused !== undefined) {
    const message = `${subject} is a ${refused}; steps that ask a person cannot be in a group`;
    report.error({ code: 'STEP_IN_GROUP', message, ...at });
  }
  for (const sibling of siblingsIn(meaning, step)) {
    if (sibling === step.name || !group.agents.includes(sibling)) continue;
    const message = `${subject} references another agent '${sibling}' in the same parallel group`;
    report.error({ code: 'SIBLING_REFERENCE', message, hint: 'Members of a group run at the same time', ...at });
  }
}

/** Only a workflow can be a run of its own; anything else would silently run inside this one. */
function checkSpawned(
  { root, report }: Meaning,
  { group, step, path }: Pick<Member, 'step' | 'path'> & { readonly group: ParallelGroup | ForEachGroup },
): void {
  if (group.spawn === undefined || step.type === 'workflow') return;
  const message = `'${step.name}' in group '${group.name}' is of type ${step.type}; with spawn: queue all members must be of type workflow`;
  const hint = 'Put the step into a workflow file of its own, or leave spawn out';
  report.error({ code: 'SPAWN_NEEDS_WORKFLOW', message, hint, at: locate(root, path), path });
}

/** The units that a member reads by its declared inputs and by the templates of a value. */
function siblingsIn({ steps }: Meaning, step: Step): ReadonlySet<string> {
  const declared = 'input' in step ? step.input.map((input) => readInputReference(input)?.unit) : [];
  const read = steps
    .of(step)
    .analysis.groupTexts(step)
    .flatMap((text) =>
      textReferences({ kind: 'template', text })
        .references.filter(({ path }) => path[0] === 'output')
        .map(({ root }) => root),
    );
  return new Set([...declared, ...read].filter((name) => name !== undefined));
}

/** The routes of the group decide what comes after it, whatever its members say. */
function warnAboutRoutes(meaning: Meaning, step: Step, path: DocumentPath): void {
  if ('routes' in step && step.routes.length > 0) warnOfNoEffect(meaning, 'The routes of a step', [...path, 'routes']);
}

/** Warns about something that does nothing inside a for_each group. */
export function warnOfNoEffect({ root, report }: Meaning, what: string, path: DocumentPath): void {
  const message = `${what} inside a for_each group have no effect`;
  report.warn({ code: 'KEY_WITHOUT_EFFECT', message, at: locate(root, path), path });
}
