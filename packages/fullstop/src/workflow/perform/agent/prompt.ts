import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { strip } from '../../../template/text/whitespace.js';
import { attempt, type Problem, StepProblem } from '../../machine/step-problem.js';
import type { AgentStep } from '../../schema/steps/agent.js';
import type { StepContext } from '../runtime.js';
import { directoryOf, type Runtime } from '../runtime.js';
import { render, renderFileText } from '../scope/render.js';
import type { Rendering } from '../scope/rendering.js';
import { renderingOf } from '../scope/scopes.js';
import { skillsText } from './skills.js';

/** Everything of an agent step that templates decide. */
export interface PreparedPrompt {
  readonly prompt: string;
  readonly system?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly workingDirectory?: string;
}

/** A prompt was rendered, and is recorded, before the system prompt failed. */
interface HalfPrepared {
  readonly prompt: string;
  readonly problem: Problem;
}

const efforts: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);
const tiers: ReadonlySet<string> = new Set(['default', 'long_context']);

/** Renders what an agent is asked. */
export function preparePrompt(step: AgentStep, given: StepContext): PreparedPrompt | HalfPrepared {
  const { runtime } = given;
  const rendering = renderingOf(step, given);
  const settings = runtime.provider.document.workflow.runtime;
  const workingDirectory = directoryFor(step, rendering);
  // A model that renders to nothing is the usual one.
  const model = step.model === undefined ? '' : strip(render(rendering, step.model));
  const effort = chosen(step, 'reasoning.effort', { template: step.reasoning?.effort, allowed: efforts, rendering });
  chosen(step, 'context_tier', { template: step.context_tier, allowed: tiers, rendering });
  const own = renderFileText(rendering, step.prompt, step.prompt_file);
  const prompt = `${preambleText(runtime)}${skillsText(step, runtime)}${own}`;
  const system = attempt(() => systemPrompt(step, rendering));
  if ('problem' in system) return { prompt, problem: system.problem };
  const usual = effort ?? settings.default_reasoning_effort;
  return {
    prompt,
    ...(system.value !== undefined && { system: system.value }),
    ...(model !== '' && { model }),
    ...(usual !== undefined && { effort: usual }),
    ...(workingDirectory !== undefined && { workingDirectory }),
  };
}

interface Choice {
  readonly template: string | undefined;
  readonly allowed: ReadonlySet<string>;
  readonly rendering: Rendering;
}

function chosen(step: AgentStep, field: string, { template, allowed, rendering }: Choice): string | undefined {
  if (template === undefined) return undefined;
  const text = strip(render(rendering, template));
  if (allowed.has(text)) return text;
  const words = [...allowed].join(', ');
  throw new StepProblem('ValidationError', `${field} of '${step.name}' is '${text}'; it must be one of ${words}`);
}

function systemPrompt(step: AgentStep, rendering: Rendering): string | undefined {
  return step.system_prompt === undefined
    ? undefined
    : renderFileText(rendering, step.system_prompt, step.system_prompt_file);
}

/** The directory that an agent works in: absolute, and there. */
function directoryFor(step: AgentStep, rendering: Rendering): string | undefined {
  const { runtime } = rendering;
  const template = step.working_dir ?? runtime.program.document.workflow.runtime.working_dir;
  const text = template === undefined ? '' : strip(render(rendering, template));
  if (text === '') return undefined;
  const path = resolve(directoryOf(runtime.loaded), text.replace(/^~(?=$|\/)/, homedir()));
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  const message = `The working_dir of '${step.name}' is no directory: ${path}`;
  throw new StepProblem('ExecutionError', message, { code: 'NO_DIRECTORY' });
}

function preambleText({ preamble }: Runtime): string {
  const texts = preamble.filter((text) => strip(text) !== '');
  if (texts.length === 0) return '';
  return `<workspace_instructions>\n${texts.join('\n\n---\n\n')}\n</workspace_instructions>\n\n`;
}
