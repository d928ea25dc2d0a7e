import { suggestion } from '../../termination/suggestion.js';
import type { AgentStep, Step } from '../schema/document.js';
import type { DocumentPath } from '../source/problem.js';
import { locate, textsAt } from '../source/yaml-node.js';
import type { Meaning } from './meaning.js';

/** Names that must exist or be the only one of their kind: gate routes, tools, steps and groups. */
export function checkTargets(meaning: Meaning): void {
  checkDuplicates(meaning);
  for (const [index, step] of meaning.document.agents.entries()) {
    const path = ['agents', index];
    checkStepTargets(meaning, step, path);
    checkTools(meaning, step, path);
    if (step.type === 'agent') checkAgent(meaning, step, path);
  }
  for (const [index, { agent }] of meaning.document.for_each.entries()) {
    checkTools(meaning, agent, ['for_each', index, 'agent']);
    if (agent.type === 'agent') checkAgent(meaning, agent, ['for_each', index, 'agent']);
  }
}

function checkDuplicates({ document, root, report }: Meaning): void {
  const seen = new Set<string>();
  for (const key of ['agents', 'parallel', 'for_each'] as const) {
    for (const [index, { name }] of document[key].entries()) {
      const path = [key, index, 'name'];
      if (seen.has(name)) {
        const message = `Duplicate names: '${name}' is the name of another step or group too`;
        report.error({ code: 'DUPLICATE_NAME', message, at: locate(root, path), path, text: name });
      }
      seen.add(name);
    }
  }
}

function checkStepTargets(meaning: Meaning, step: Step, path: DocumentPath): void {
  if (step.type === 'human_gate') {
    for (const [index, { route }] of step.options.entries())
      checkTarget(meaning, route, [...path, 'options', index, 'route']);
  }
  if (step.type === 'questions' && step.abort_route !== undefined) {
    checkTarget(meaning, step.abort_route, [...path, 'abort_route']);
  }
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

function checkAgent({ root, report }: Meaning, step: AgentStep, path: DocumentPath): void {
  if (step.system_prompt !== undefined && step.system_prompt !== '' && step.prompt.trim() === '') {
    const message = `Agent '${step.name}' defines \`system_prompt\` but no \`prompt\`, so the model gets no task`;
    report.warn({
      code: 'NO_PROMPT',
      message,
      at: locate(root, [...path, 'system_prompt']),
      path: [...path, 'system_prompt'],
    });
  }
}
