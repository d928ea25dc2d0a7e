import type { AgentStep } from '../schema/steps/agent.js';
import type { DocumentPath } from '../source/problem.js';
import { locate } from '../source/yaml-node.js';
import { checkAgentEffects } from './check-effects.js';
import type { Meaning } from './meaning.js';

/** An agent must have a task, and keys that do nothing here are pointed out. */
export function checkAgent(meaning: Meaning, step: AgentStep, path: DocumentPath): void {
  checkAgentEffects(meaning, step, path);
  if (step.system_prompt === undefined || step.system_prompt === '' || step.prompt.trim() !== '') return;
  const message = `Agent '${step.name}' defines \`system_prompt\` but no \`prompt\`, so the model gets no task`;
  const at = [...path, 'system_prompt'];
  meaning.report.warn({ code: 'NO_PROMPT', message, at: locate(meaning.root, at), path: at });
}
