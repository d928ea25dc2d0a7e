import type { RepeatedCall } from '../termination/kinds/detector.js';
import { numberOf } from './fingerprint.js';
import type { ObservedCall } from './observation.js';

export const comparisons = ['results', 'arguments', 'names'] as const;

/** The parts that make two calls the same: the tool with its arguments and result, with its arguments, or its name alone. */
export type CallComparison = (typeof comparisons)[number];

const mostCalls = 20;

interface KnownRound {
  readonly calls: readonly ObservedCall[];
  readonly compare: CallComparison;
  readonly key: number;
}

/** Several conditions ask about the same round, one right after the other. */
let last: KnownRound | undefined;

/** The same for rounds with the same calls, in whatever order. */
export function roundKey(calls: readonly ObservedCall[], compare: CallComparison): number {
  if (last?.calls !== calls || last.compare !== compare) last = { calls, compare, key: keyOf(calls, compare) };
  return last.key;
}

function keyOf(calls: readonly ObservedCall[], compare: CallComparison): number {
  if (calls.length === 1) return callKey(calls[0] as ObservedCall, compare);
  const keys = calls.map((call) => callKey(call, compare)).sort((left, right) => left - right);
  return numberOf(keys.join(' '));
}

/** The calls of a round that are kept; of very many the first ones. */
export function evidenceOf(calls: readonly ObservedCall[]): readonly ObservedCall[] {
  return calls.length > mostCalls ? calls.slice(0, mostCalls) : calls;
}

/** The calls as evidence for people. */
export function repeatedCalls(calls: readonly RepeatedCall[]): readonly RepeatedCall[] {
  return calls.map(({ tool, input }) => (input === undefined ? { tool } : { tool, input }));
}

function callKey({ tool, inputKey, resultKey }: ObservedCall, compare: CallComparison): number {
  if (compare === 'names') return numberOf(tool);
  return compare === 'arguments' ? numberOf(tool, inputKey) : numberOf(tool, inputKey, resultKey);
}
