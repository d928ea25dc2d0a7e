import { isObject } from '../../termination/json.js';
import { type CallEffect, makeCallKey, makeCallUnit, parseCallKey, toolInKey } from './agent-key.js';
import type { AgentState, ToolOutcome } from './state.js';

type Round = Pick<AgentState, 'counts' | 'round'>;

/** The key of an effect of a call in the round at hand. */
export function callKey({ counts, round }: Round, index: number, effect: CallEffect): string {
  return makeCallKey({ effect, iteration: counts.iterations + 1, number: index + 1, tool: round[index]?.tool ?? '' });
}

/** The call of the round at hand that an effect belongs to; -1 if there is none. */
export function indexOfCall({ counts, round }: Round, key: string): number {
  const { iteration, number = 0, tool } = parseCallKey(key) ?? {};
  const call = round[number - 1];
  if (iteration === counts.iterations + 1 && call !== undefined && toolInKey(call.tool) === tool) return number - 1;
  return round.findIndex((call) => makeCallUnit(call) === key);
}

export function isOutcome(value: unknown): value is ToolOutcome {
  return isObject(value) && isObject(value['output']) && typeof value['output']['type'] === 'string';
}
