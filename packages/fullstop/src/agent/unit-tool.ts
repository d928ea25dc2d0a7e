import type { End, RunContext } from '../run/run-context.js';
import type { Ending } from '../termination/ending.js';
import type { JsonValue } from '../termination/json.js';
import type { ToolLike } from './tool.js';

/** Runs an agent inside another one. */
export type RunUnit = (context: RunContext, input: JsonValue) => Promise<End<Ending>>;

const units = new WeakMap<ToolLike, RunUnit>();

/** Marks a tool whose calls are runs of an agent inside this one. */
export function asUnit<TTool extends ToolLike>(tool: TTool, run: RunUnit): TTool {
  units.set(tool, run);
  return tool;
}

export function unitOf(tool: ToolLike | undefined): RunUnit | undefined {
  return tool === undefined ? undefined : units.get(tool);
}
