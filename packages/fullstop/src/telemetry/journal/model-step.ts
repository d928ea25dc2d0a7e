import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { isObject } from '../../termination/json.js';

/** A call of a model, as an agent journals it. */
export interface ModelStep {
  readonly type: 'model';
  readonly usage: StepUsage;
  readonly provider?: string | undefined;
  /** The model that was asked. */
  readonly asked?: string | undefined;
  /** The model that answered, where its provider said so. */
  readonly model?: string | undefined;
  readonly finish?: string | undefined;
  readonly responseId?: string | undefined;
  readonly failure?: string | undefined;
}

/** A call of a tool, as an agent journals it. */
export interface ToolStep {
  readonly type: 'tool';
  readonly tool: string;
  readonly failure?: string | undefined;
}

export interface StepUsage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly reasoning: number;
}

type StepData = EntryDraft<'step_ended'>['data'];

const modelKey = /^model:\d+$/;
const toolKey = /^tool:\d+\.\d+:/;

/** What of an agent a step is; undefined for steps of anything else. */
export function agentStepType(key: string): 'model' | 'tool' | undefined {
  if (key.startsWith('model:')) return modelKey.test(key) ? 'model' : undefined;
  return key.startsWith('tool:') && toolKey.test(key) ? 'tool' : undefined;
}

/** Reads the call of a tool. */
export function toolStepOf(key: string, data: StepData): ToolStep {
  const tool = key.slice(key.indexOf(':', 'tool:'.length) + 1);
  if (!data.ok) return { type: 'tool', tool, failure: data.error.name };
  const error = memberOf(data.value, 'error');
  return { type: 'tool', tool, failure: isObject(error) ? (textOf(error['name']) ?? 'Error') : undefined };
}

/** Reads the call of a model. */
export function modelStepOf(data: StepData): ModelStep {
  const usage = usageOf(data);
  if (!data.ok) return { type: 'model', usage, failure: data.error.name };
  const response = memberOf(data.value, 'response');
  const failure = memberOf(data.value, 'failure');
  const asked = textOf(memberOf(data.value, 'model'));
  // The name of a provider has no slash; that of a model may.
  const slash = asked?.indexOf('/') ?? -1;
  return {
    type: 'model',
    usage,
    provider: asked?.slice(0, Math.max(0, slash)),
    asked: asked?.slice(slash + 1),
    model: textOf(memberOf(response, 'modelId')),
    finish: textOf(memberOf(response, 'finish')),
    responseId: textOf(memberOf(response, 'responseId')),
    failure: failure === undefined ? undefined : (textOf(memberOf(failure, 'type')) ?? 'unknown'),
  };
}

/** Input and output as they were charged; what came from a cache and what was thought, as the provider said. */
export function usageOf(data: StepData): StepUsage {
  const reported = data.ok ? memberOf(memberOf(data.value, 'response'), 'usage') : undefined;
  return {
    input: data.charge?.inputTokens ?? 0,
    output: data.charge?.outputTokens ?? 0,
    cachedInput: countOf(memberOf(reported, 'cachedInputTokens')),
    reasoning: countOf(memberOf(reported, 'reasoningTokens')),
  };
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
