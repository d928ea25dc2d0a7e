import type { ErrorData } from '../termination/errors/error-data.js';
import type { JsonValue } from '../termination/json.js';
import type { Mistake } from '../termination/kinds/detector.js';
import type { StopCondition } from './condition.js';
import { canonicalFingerprint, fingerprint, fingerprintOf } from './fingerprint.js';
import type { ObservedCall, ObservedText } from './observation.js';
import { previewResult } from './preview-result.js';

/** How many characters, from the end of a text, patterns are matched on. */
export const tailLength = 10_000;

const longestInput = 1_000;

/** A call as the agent knows it. */
export interface FinishedCall {
  readonly tool: string;
  readonly input: JsonValue;
  /** For a failed call the text that the model sees instead. */
  readonly result: JsonValue;
  readonly error?: ErrorData;
  readonly mistake?: Mistake['problem'];
}

/** The codes of calls that the model asked for and that were not made: their results say so. */
const unmade: readonly unknown[] = ['NOT_MADE', 'SKIPPED'];

/** True for a call that was made, whatever came of it. */
export function wasMade(call: ObservedCall): boolean {
  return call.ok || !unmade.includes(call.error.code);
}

/** Makes the observed form of a call; its result is shown only where a condition has it as evidence. */
export function observeCall(call: FinishedCall, showsResult = false): ObservedCall {
  const { tool, input, error, mistake } = call;
  const { key: inputKey, length } = canonicalFingerprint(input);
  const resultKey = fingerprintOf(call.result);
  const isSmall = length <= longestInput;
  const result = showsResult ? previewResult(call.result) : undefined;
  // Written out, because copying objects would take longer than all the rest.
  if (error === undefined && isSmall) {
    if (result === undefined) return { tool, input, inputKey, resultKey, ok: true };
    return { tool, input, inputKey, resultKey, result, ok: true };
  }
  const known = { tool, ...(isSmall && { input }), inputKey, resultKey, ...(result !== undefined && { result }) };
  if (error === undefined) return { ...known, ok: true };
  return {
    ...known,
    ok: false,
    error,
    ...(mistake !== undefined && { mistake }),
  };
}

/** Makes the observed form of a text, with as many of its characters as the conditions read. */
export function observeText(text: string, conditions: readonly StopCondition<string>[]): ObservedText {
  const trimmed = text.trim();
  const key = trimmed === '' ? '' : fingerprint(trimmed);
  let content: string | undefined;
  for (const { reads } of conditions) {
    if (reads === 'whole') content = text;
    else if (reads === 'tail') content ??= text.slice(-tailLength);
  }
  return content === undefined ? { key, length: text.length } : { key, length: text.length, content };
}
