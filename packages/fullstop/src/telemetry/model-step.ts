import type { EntryDraft } from '../engines/port/journal-entry.js';
import { isObject } from '../termination/json.js';

/** A call of a model or of a tool, as an agent journals it. */
export type AgentStep =
  | {
      readonly type: 'model';
      readonly model?: string;
      readonly finish?: string;
      readonly responseId?: string;
      readonly usage: StepUsage;
      readonly failure?: string;
    }
  | { readonly type: 'tool'; readonly tool: string; readonly failure?: string };

export interface StepUsage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly reasoning: number;
}

/** Reads a step of an agent; undefined for steps of anything else. */
export function agentStepOf(entry: EntryDraft<'step_ended'>): AgentStep | undefined {
  const key = entry.key ?? '';
  const { data } = entry;
  if (/^model:\d+$/.test(key)) return modelStep(data);
  const tool = /^tool:\d+\.\d+:(.*)$/s.exec(key)?.[1];
  if (tool === undefined) return undefined;
  if (!data.ok) return { type: 'tool', tool, failure: data.error.name };
  const error = memberOf(data.value, 'error');
  return { type: 'tool', tool, ...(isObject(error) && { failure: textOf(error['name']) ?? 'Error' }) };
}

function modelStep(data: EntryDraft<'step_ended'>['data']): AgentStep {
  const usage = usageOf(data);
  if (!data.ok) return { type: 'model', usage, failure: data.error.name };
  const response = memberOf(data.value, 'response');
  const failure = memberOf(data.value, 'failure');
  const [model, finish, responseId] = ['modelId', 'finish', 'responseId'].map((name) =>
    textOf(memberOf(response, name)),
  );
  return {
    type: 'model',
    usage,
    ...(model !== undefined && { model }),
    ...(finish !== undefined && { finish }),
    ...(responseId !== undefined && { responseId }),
    ...(failure !== undefined && { failure: textOf(memberOf(failure, 'type')) ?? 'unknown' }),
  };
}

/** Input and output as they were charged; what came from a cache and what was thought, as the provider said. */
export function usageOf(data: EntryDraft<'step_ended'>['data']): StepUsage {
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
