import { isObject } from '../../termination/json.js';
import type { AgentState, Call, ToolOutcome } from './state.js';

/** The place of a call in the run, for the keys of its effects: iteration, number in the round, and tool. */
export function callPlace({ counts, round }: Pick<AgentState, 'counts' | 'round'>, index: number): string {
  return `${counts.iterations + 1}.${index + 1}:${round[index]?.tool ?? ''}`;
}

/** The key of the effect that makes a call. */
export function callKey(state: Pick<AgentState, 'counts' | 'round'>, index: number): string {
  return `tool:${callPlace(state, index)}`;
}

/** The characters that structure the paths of units, and how a name writes them. */
const reserved = /[%/#~]/g;
const escapes: Readonly<Record<string, string>> = { '%': '%25', '/': '%2F', '#': '%23', '~': '%7E' };

/** The name of the unit that a call runs in. Models choose the ids of calls, and two calls must never have one path. */
export function unitKey({ tool, id }: Pick<Call, 'tool' | 'id'>): string {
  return `${tool}:${id}`.replace(reserved, (character) => escapes[character] as string);
}

export function isOutcome(value: unknown): value is ToolOutcome {
  return isObject(value) && isObject(value['output']) && typeof value['output']['type'] === 'string';
}
