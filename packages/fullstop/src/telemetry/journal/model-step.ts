import { isModelKey, parseCallKey } from '../../agent/machine/agent-key.js';
import type { EntryDraft } from '../../engines/port/journal-entry.js';
import { isObject } from '../../termination/json.js';

/** A model call, as an agent journals it. */
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

/** A tool call, as an agent journals it. */
export interface ToolStep {
  readonly type: 'tool';
  readonly tool: string;
  /** The id that the model gave the call. */
  readonly callId?: string | undefined;
  readonly failure?: string | undefined;
}

export interface StepUsage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly reasoning: number;
}

type StepData = EntryDraft<'step_ended'>['data'];

/** The kind of step of an agent that a key names; undefined for steps of anything else. */
export function agentStepType(key: string): 'model' | 'tool' | undefined {
  if (isModelKey(key)) return 'model';
  return parseCallKey(key)?.effect === 'tool' ? 'tool' : undefined;
}

/** Reads a tool call; its key has the number of the call in the round, and the answer of the model the ids of all calls. */
export function toolStepOf(key: string, data: StepData, callIds: readonly string[]): ToolStep {
  const { tool = key, number = 0 } = parseCallKey(key) ?? {};
  const callId = callIds[number - 1];
  if (!data.ok) return { type: 'tool', tool, callId, failure: data.error.name };
  const error = memberOf(data.value, 'error');
  return { type: 'tool', tool, callId, failure: isObject(error) ? (textOf(error['name']) ?? 'Error') : undefined };
}

/** The ids of the tool calls that a model asked for, in its order. */
export function callIdsOf(data: StepData): readonly string[] {
  const calls = data.ok ? memberOf(memberOf(data.value, 'response'), 'toolCalls') : undefined;
  return Array.isArray(calls) ? calls.map((call) => textOf(memberOf(call, 'id')) ?? '') : [];
}

/** Reads a model call. */
export function modelStepOf(data: StepData): ModelStep {
  const usage = usageOf(data);
  if (!data.ok) return { type: 'model', usage, failure: data.error.name };
  const response = memberOf(data.value, 'response');
  const failure = memberOf(data.value, 'failure');
  const name = textOf(memberOf(data.value, 'model'));
  // Older journals have only the name of both, where a provider without a slash in its own is the part before the first.
  const provider = textOf(memberOf(data.value, 'provider')) ?? name?.slice(0, Math.max(0, name.indexOf('/')));
  return {
    type: 'model',
    usage,
    provider,
    asked: provider === undefined || provider === '' ? name : name?.slice(provider.length + 1),
    model: textOf(memberOf(response, 'modelId')),
    finish: textOf(memberOf(response, 'finish')),
    responseId: textOf(memberOf(response, 'responseId')),
    failure: failure === undefined ? undefined : (textOf(memberOf(failure, 'type')) ?? 'unknown'),
  };
}

/** Input and output as they were charged; cached and reasoning tokens as the provider reported them. */
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
