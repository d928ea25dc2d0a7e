import type { UnitResult } from '../../run/run-context.js';
import type { ObservedUsage } from '../../stop/observation.js';
import type { ErrorData } from '../../termination/errors/error-data.js';
import type { JsonValue } from '../../termination/json.js';
import type { Call, ChildRecord, ToolOutcome } from './state.js';

/** The output of an agent inside another one: everything about its run besides its ending. */
export interface UnitDetails {
  readonly output: JsonValue;
  /** Set when null is its output, and not the sign that it has none. */
  readonly isNull?: true;
  readonly text: string;
  /** Set when the text is an object that the model returned as one, though nobody had asked for fields. */
  readonly structured?: true;
  readonly usage: ObservedUsage;
  readonly costUsd: number | null;
  /** True when some of the usage was guessed. */
  readonly estimated?: boolean;
  /** The endings of agents inside it. */
  readonly children?: readonly ChildRecord[];
  /** Set when it failed: its ending in words. */
  readonly failure?: ErrorData;
}

/** The outcome of a call that ran an agent: its whole ending is in the result, and with all its details among the children. */
export function unitOutcome(
  { id, tool }: Pick<Call, 'id' | 'tool'>,
  { output: details, ...ended }: UnitResult,
): ToolOutcome & { readonly child: ChildRecord } {
  const {
    output = null,
    text = '',
    usage,
    costUsd = 0,
    estimated = false,
    children,
    failure,
  } = (details ?? {}) as unknown as Partial<UnitDetails>;
  const value = { termination: ended.termination, output } as unknown as JsonValue;
  const used = usage !== undefined && { usage, costUsd, ...(estimated && { estimated }) };
  const inside = children !== undefined && { children };
  const child: ChildRecord = { ...ended, output, text, ...used, ...inside, name: tool, toolCallId: id };
  return { output: { type: 'json', value }, child, ...(failure !== undefined && { error: failure }) };
}

/** True for a unit that ended with its parent: the call has no outcome yet. An agent that ends by itself reports its usage. */
export function isCutOff({ termination, output }: UnitResult): boolean {
  return termination.kind === 'cancelled' && termination.by === 'parent' && output === undefined;
}
