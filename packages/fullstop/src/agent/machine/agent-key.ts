import { escapeUnitName, makePart, makeScope } from '../../run/journal/scope-path.js';
import { escapeUnstorable } from '../../termination/text/storable-text.js';

/** The grammar of the keys in the journal of an agent: `model:3`, `judging_iteration:4`, `tool:3.1:search`. */

/** A key that counts: the third call of the model is `model:3`. */
export interface CountedKey {
  readonly word: string;
  readonly number: number;
}

export function makeCountedKey(word: string, number: number): string {
  return `${word}:${number}`;
}

/** Reads a key that counts, such as that of an iteration. */
export function parseCountedKey(key: string): CountedKey | undefined {
  const [, word, number] = /^([a-z_]+):(\d+)$/.exec(key) ?? [];
  return word === undefined ? undefined : { word, number: Number(number) };
}

/** The key of a call of the model. */
export function makeModelKey(number: number): string {
  return makeCountedKey('model', number);
}

/** Says whether a key of the journal belongs to a call of the model. */
export function isModelKey(key: string): boolean {
  return key.startsWith('model:') && parseCountedKey(key) !== undefined;
}

/** True for a key that only agents write, whose first entries show what a run is. */
export function isAgentKey(key: string): boolean {
  const { word = '' } = parseCountedKey(key) ?? {};
  return word === 'model' || word === 'compact' || word === 'opening' || word.startsWith('judging_');
}

/** An effect of a tool call: asking a person, checking its input, performing it. */
export type CallEffect = 'ask' | 'call' | 'check' | 'recheck' | 'result' | 'tool';

/** A key that belongs to one tool call: `tool:3.1:search` performs the first call of the third iteration. */
export interface CallKey {
  readonly effect: CallEffect;
  readonly iteration: number;
  /** Its place in the round, counted from 1. */
  readonly number: number;
  readonly tool: string;
}

/** The name of a tool as keys have it. Models choose it too, and no store could return some texts. */
export function toolInKey(tool: string): string {
  return escapeUnstorable(tool);
}

export function makeCallKey({ effect, iteration, number, tool }: CallKey): string {
  return `${effect}:${iteration}.${number}:${toolInKey(tool)}`;
}

const callPattern = /^(ask|call|check|recheck|result|tool):(\d+)\.(\d+):(.*)$/s;

/** Reads the key of a call of a tool. */
export function parseCallKey(key: string): CallKey | undefined {
  const [, effect, iteration, number, tool = ''] = callPattern.exec(key) ?? [];
  if (effect === undefined) return undefined;
  return { effect: effect as CallEffect, iteration: Number(iteration), number: Number(number), tool };
}

interface ToolCall {
  readonly tool: string;
  readonly id: string;
}

/** The name of the unit that a call runs in. Models choose the ids of calls, so their separators are escaped. */
export function makeCallUnit({ tool, id }: ToolCall): string {
  return escapeUnitName(`${tool}:${id}`);
}

/** True for the name of a unit that a call of this tool runs in. */
export function isCallUnitOf(tool: string, unit: string): boolean {
  return unit.startsWith(escapeUnitName(`${tool}:`));
}

/** The id under which a person is asked about a call for the nth time; no other request of the run has it. */
export function makeRequestId(scope: string, id: string, times: number): string {
  return makeScope(scope, makePart({ name: id, visit: times }));
}

/** The id of the question whether a call that is performed outside may be made; its result is asked for under its own id. */
export function makeApprovalId(id: string): string {
  return `approval:${id}`;
}

/**
 * The ids under which someone may be asked about a call for the nth time: its own, and that of the question whether a call
 * that is performed outside may be made.
 */
export function makeAskedIds(scope: string, id: string, times: number): readonly [own: string, approval: string] {
  // Models choose the ids of calls, and no store could return some of them.
  const make = (given: string): string => makeRequestId(scope, escapeUnstorable(given), times);
  return [make(id), make(makeApprovalId(id))];
}
