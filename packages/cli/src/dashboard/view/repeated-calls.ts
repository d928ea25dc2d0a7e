import type { AnyTermination, JsonValue } from 'fullstop';
import { isModelKey, parseCallKey, parseCountedKey } from 'fullstop/journal';
import { isObject } from '../../journal/is-object.js';
import type { StepNode } from '../../journal/step-node.js';
import type { UnitNode } from '../../journal/unit-tree.js';

/** A tool call with what came of it. */
export interface RepeatedCall {
  readonly seq: number;
  readonly at: number;
  readonly tool: string;
  readonly input?: JsonValue;
  readonly output?: JsonValue;
}

/** The rounds that a detector found alike, to be seen side by side. */
export interface RepeatedCalls {
  readonly rounds: readonly (readonly RepeatedCall[])[];
}

/** More rounds than this are no more evidence. */
const mostRounds = 6;

/** The calls behind a loop: its last rounds, with inputs and results. Undefined for any other ending. */
export function repeatedCalls(cause: AnyTermination, unit: UnitNode): RepeatedCalls | undefined {
  if (cause.kind !== 'loop_detected' || cause.cycle.length === 0) return undefined;
  const calls = callsOf(unit);
  const length = cause.cycle.length;
  const count = Math.min(cause.repeats, mostRounds, Math.floor(calls.length / length));
  if (count === 0) return undefined;
  const last = calls.slice(calls.length - count * length);
  return { rounds: Array.from({ length: count }, (_, round) => last.slice(round * length, (round + 1) * length)) };
}

/** The tool calls of a loop in order; what each was asked with stands in the answer of the model before it. */
function callsOf(unit: UnitNode): readonly RepeatedCall[] {
  const inputs = new Map<string, JsonValue>();
  return unit.steps.flatMap((step) => {
    if (isModelKey(step.key)) noteInputs(step, inputs);
    const call = parseCallKey(step.key);
    if (call === undefined || call.effect !== 'tool') return [];
    const input = inputs.get(`${call.iteration}.${call.number}`);
    return [
      {
        seq: step.seq,
        at: step.at,
        tool: call.tool,
        ...(input !== undefined && { input }),
        ...(step.value !== undefined && { output: resultOf(step.value) }),
      },
    ];
  });
}

function noteInputs({ key, value }: StepNode, inputs: Map<string, JsonValue>): void {
  const response = isObject(value) ? value['response'] : undefined;
  const calls = isObject(response) ? response['toolCalls'] : undefined;
  if (!Array.isArray(calls)) return;
  for (const [index, call] of (calls as readonly JsonValue[]).entries())
    if (isObject(call) && call['input'] !== undefined)
      inputs.set(`${parseCountedKey(key)?.number}.${index + 1}`, call['input']);
}

function resultOf(value: JsonValue): JsonValue {
  const output = isObject(value) ? value['output'] : undefined;
  return isObject(output) && output['value'] !== undefined ? output['value'] : value;
}
