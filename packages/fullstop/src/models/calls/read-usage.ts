import { isObject } from '../../termination/json.js';
import type { ModelUsage } from '../model-response.js';

/**
 * Token counts of any version: flat numbers (v2) or totals with their parts (v3, v4). What the provider does not report,
 * or reports as something that is no count, is unknown.
 */
export function readUsage(usage: unknown): ModelUsage | undefined {
  if (!isObject(usage)) return undefined;
  const { inputTokens: input, outputTokens: output } = usage;
  const inputTokens = count(isObject(input) ? input['total'] : input);
  const outputTokens = count(isObject(output) ? output['total'] : output);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  // Spelled out for what is usual: every answer has one, and the journal keeps it.
  const read: { -readonly [P in keyof ModelUsage]: ModelUsage[P] } =
    inputTokens !== undefined && outputTokens !== undefined ? { inputTokens, outputTokens } : {};
  if (inputTokens !== undefined) read.inputTokens = inputTokens;
  if (outputTokens !== undefined) read.outputTokens = outputTokens;
  const reasoningTokens = count(isObject(output) ? output['reasoning'] : usage['reasoningTokens']);
  if (reasoningTokens !== undefined) read.reasoningTokens = reasoningTokens;
  const cachedInputTokens = count(isObject(input) ? input['cacheRead'] : usage['cachedInputTokens']);
  if (cachedInputTokens !== undefined) read.cachedInputTokens = cachedInputTokens;
  return read;
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}
