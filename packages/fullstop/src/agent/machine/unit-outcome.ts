import type { UnitResult } from '../../run/run-context.js';
import type { JsonValue } from '../../termination/json.js';
import type { UnitDetails } from '../tools/unit-tool.js';
import type { Call, ChildRecord, ToolOutcome } from './state.js';

/** What comes of a call that ran an agent: its ending stands whole in the result, and with all it left among the children. */
export function unitOutcome(
  { id, tool }: Call,
  { output: details, ...ended }: UnitResult,
): ToolOutcome & { readonly child: ChildRecord } {
  const { output = null, text = '', usage, costUsd = 0, failure } = (details ?? {}) as unknown as Partial<UnitDetails>;
  const value = { termination: ended.termination, output } as unknown as JsonValue;
  const used = usage !== undefined && { usage, costUsd };
  const child: ChildRecord = { ...ended, output, text, ...used, name: tool, toolCallId: id };
  return { output: { type: 'json', value }, child, ...(failure !== undefined && { error: failure }) };
}
