import type { RepeatedCall } from '../termination/kinds/detector.js';
import { fingerprint } from './fingerprint.js';
import type { ObservedCall } from './observation.js';

export const comparisons = ['results', 'arguments', 'names'] as const;

/** What makes two calls the same: the tool with its arguments and result, with its arguments, or its name alone. */
export type Comparison = (typeof comparisons)[number];

const mostCalls = 20;

/** The same for rounds with the same calls, in whatever order. */
export function roundKey(calls: readonly ObservedCall[], compare: Comparison): string {
  // Most rounds have one call, and its key is short enough as it is.
  if (calls.length === 1) return callKey(calls[0] as ObservedCall, compare);
  return fingerprint(JSON.stringify(calls.map((call) => callKey(call, compare)).sort()));
}

/** What is kept of the calls of a round; of very many the first ones. */
export function evidenceOf(calls: readonly ObservedCall[]): readonly ObservedCall[] {
  return calls.length > mostCalls ? calls.slice(0, mostCalls) : calls;
}

/** The calls as evidence for people. */
export function repeatedCalls(calls: readonly ObservedCall[]): readonly RepeatedCall[] {
  return calls.map(({ tool, input }) => (input === undefined ? { tool } : { tool, input }));
}

function callKey({ tool, inputKey, resultKey }: ObservedCall, compare: Comparison): string {
  if (compare === 'names') return tool;
  return compare === 'arguments' ? `${inputKey} ${tool}` : `${inputKey} ${resultKey} ${tool}`;
}
