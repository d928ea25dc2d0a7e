import type { Agent } from '../../../agent/agent.js';
import { defineAgent } from '../../../agent/define-agent.js';
import type { AnyAgentOptions } from '../../../agent/options/agent-options.js';
import { type TransformDirective, transform } from '../../../agent/options/directive.js';
import type { ResponseView } from '../../../agent/options/hooks.js';
import { runInside } from '../../../agent/tools/unit-tool.js';
import type { LanguageModel } from '../../../models/language-model.js';
import type { RunEnd } from '../../../run/run-context.js';
import type { StopCondition } from '../../../stop/condition.js';
import { maxIterations } from '../../../stop/conditions/max-iterations.js';
import { timeout } from '../../../stop/conditions/timeout.js';
import { writeJsonText } from '../../../template/json-text.js';
import type { Ending } from '../../../termination/ending.js';
import { toErrorData } from '../../../termination/errors/to-error-data.js';
import type { JsonValue } from '../../../termination/json.js';
import { promptKey } from '../../graph/workflow-key.js';
import { attempt, type Problem, StepProblem } from '../../machine/step-problem.js';
import type { AgentStep } from '../../schema/steps/agent.js';
import type { StepContext } from '../runtime.js';
import { failUnit } from '../units/unit-end.js';
import { type MadeAgent, stepEnd } from './agent-outcome.js';
import { requirePrice, sharedOptions } from './agent-prices.js';
import { agentTools, toolNamesFor } from './agent-tools.js';
import { jsonInText, scalarInText } from './json-in-text.js';
import { keepBegun } from './keep-begun.js';
import { endingOfMissingKey } from './missing-key.js';
import { findModel } from './models.js';
import { outputSchema } from './output-schema.js';
import { type PreparedPrompt, preparePrompt } from './prompt.js';
import { reviewedAgent } from './reviewed-agent.js';

/** Asks a model, with tools and an output that has to fit, on the agent loop: the step ends as its agent does. */
export async function agentStep(step: AgentStep, given: StepContext): Promise<RunEnd<Ending>> {
  const { context } = given;
  const prepared: PreparedPrompt | { readonly prompt?: string; readonly problem: Problem } = await context.record(
    promptKey,
    () => {
      const prompt = attempt(() => preparePrompt(step, given));
      return 'problem' in prompt ? { problem: prompt.problem } : prompt.value;
    },
  );
  if ('problem' in prepared) return failUnit(prepared.problem);
  const made = await makeAgent(step, given, prepared);
  if ('problem' in made) return failUnit(made.problem);
  if ('missing' in made) return { termination: made.missing };
  const isOver = keepBegun(context);
  try {
    const needsReview = step.validator !== undefined || (step.dialog !== undefined && given.member === undefined);
    if (needsReview) return await reviewedAgent(step, given, { ...made, prompt: prepared.prompt });
    return stepEnd(step, await runInside(made.agent, context, prepared.prompt));
  } finally {
    isOver();
  }
}

async function makeAgent(
  step: AgentStep,
  given: StepContext,
  prepared: PreparedPrompt,
): Promise<MadeAgent | { readonly problem: Problem } | { readonly missing: Ending }> {
  const { runtime } = given;
  const settings = runtime.provider.document.workflow.runtime;
  try {
    const wanted = prepared.model ?? settings.default_model;
    const toolNames = attempt(() => toolNamesFor(step, runtime.program.document.tools));
    if ('problem' in toolNames) return { problem: toolNames.problem };
    const model = await findModel(
      { provider: step.provider, model: wanted, settings: settings.provider },
      runtime.environment,
    );
    const tools = await agentTools(step, given, {
      names: toolNames.value,
      model,
      directory: prepared.workingDirectory,
    });
    const shared = sharedOptions(runtime, model, wanted);
    requirePrice(runtime, model, shared);
    const options = { ...agentOptions(step, given, { prepared, model }), tools, ...shared };
    return { agent: defineAgent(options as AnyAgentOptions) as unknown as Agent, model, shared };
  } catch (error) {
    // The run is being stopped: that is its ending, and not what was given up for it.
    if (given.context.signal.aborted) throw error;
    const missing = endingOfMissingKey(error);
    if (missing !== undefined) return { missing };
    if (error instanceof StepProblem)
      return { problem: { error: toErrorData(error, { stack: false }), errorClass: error.errorClass } };
    const { message, code } = toErrorData(error, { stack: false });
    const data = { name: 'ProviderError', message, ...(code !== undefined && { code }) };
    return { problem: { error: data, errorClass: 'configuration' } };
  }
}

interface Settings {
  readonly prepared: PreparedPrompt;
  readonly model: LanguageModel;
}

function agentOptions(
  step: AgentStep,
  { runtime }: StepContext,
  { prepared, model }: Settings,
): Partial<AnyAgentOptions> {
  const settings = runtime.provider.document.workflow.runtime;
  const { temperature, max_tokens: maxOutputTokens } = settings;
  const fields = step.output_mode === 'raw' ? undefined : step.output;
  const hasSchema = fields !== undefined && fields.size > 0;
  const repairs = repairsOf(step, model);
  return {
    name: step.name,
    model,
    settings: {
      ...(temperature !== undefined && { temperature }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(prepared.effort !== undefined && { providerOptions: effortOptions(model, prepared.effort) }),
    },
    ...(prepared.system !== undefined && { instructions: prepared.system }),
    stopWhen: conditionsOf(step, { ...settings }),
    ...(hasSchema && {
      output: outputSchema(fields),
      repair: repairs === 0 ? false : repairs,
      hooks: { afterModel: onlyJson },
    }),
    retry: retryOf(step),
    allowUnknownPrices: true,
  };
}

/** Models put JSON into fences and sentences; the loop is handed just the JSON. */
function onlyJson({ text, toolCalls }: ResponseView): TransformDirective<string> | undefined {
  const read = toolCalls.length === 0 ? (jsonInText(text) ?? scalarInText(text)) : undefined;
  const json = read === undefined ? undefined : writeJsonText(read, { ascii: false });
  return json === undefined || json === text ? undefined : transform(json);
}

/** Scripted answers are final; others may be corrected. */
function repairsOf({ retry }: AgentStep, { provider }: LanguageModel): number {
  return retry?.max_parse_recovery_attempts ?? (provider === 'scripted' ? 0 : 2);
}

interface LoopLimits {
  readonly max_agent_iterations?: number | undefined;
  readonly timeout?: number | undefined;
}

function conditionsOf(step: AgentStep, limits: LoopLimits): readonly StopCondition<string>[] {
  const most = step.max_agent_iterations ?? limits.max_agent_iterations;
  return [
    ...(most === undefined ? [] : [maxIterations(most)]),
    ...(limits.timeout === undefined ? [] : [timeout({ model: limits.timeout * 1000 })]),
  ];
}

function retryOf({ retry }: AgentStep): NonNullable<AnyAgentOptions['retry']> {
  if (retry === undefined) return { attempts: 3, initialDelayMs: 1000 };
  const { max_attempts: attempts, delay_seconds: seconds, backoff, retry_on: on } = retry;
  const delay = seconds * 1000;
  return {
    attempts,
    on: on.map((what) => (what === 'timeout' ? 'timeout' : 'error')),
    initialDelayMs: delay,
    ...(backoff === 'fixed' && { maximumDelayMs: Math.max(delay, 1) }),
  };
}

/** How hard to think, in the words of the providers that have such a setting. */
function effortOptions(
  { provider }: LanguageModel,
  effort: string,
): Readonly<Record<string, Record<string, JsonValue>>> {
  const family = provider.split('.')[0] ?? provider;
  if (family === 'anthropic') {
    return { anthropic: { thinking: { type: 'enabled', budgetTokens: thinkingBudgets[effort] ?? 8_192 } } };
  }
  return { [family]: { reasoningEffort: effort } };
}

const thinkingBudgets: Readonly<Record<string, number>> = {
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_768,
  max: 59_904,
};
