import { toErrorData } from '../../termination/to-error-data.js';
import { mistakeOutcome, resultOf } from '../machine/round.js';
import type { Call, ToolOutcome } from '../machine/state.js';
import type { Prepared, PreparedTool } from '../options/prepare.js';
import { violationText } from '../tools/schema.js';
import { copyJson } from './copy-json.js';
import { afterTool, modelOutput } from './perform-tool.js';

/**
 * Looks at a result that comes from no step of ours: of an agent inside, or from outside. The latter has to fit the tool's
 * schema; both are shown and changed like any other.
 */
export async function receiveResult(prepared: Prepared, call: Call): Promise<ToolOutcome> {
  const received = call.outcome as ToolOutcome;
  try {
    const outcome = await checkResult(prepared.tools.get(call.tool) as PreparedTool, call, received);
    const isHooked = prepared.options.hooks?.afterTool !== undefined && outcome.mistake === undefined;
    return isHooked ? await afterTool(prepared, call, outcome) : outcome;
  } catch (error) {
    const data = toErrorData(error);
    return { ...mistakeOutcome('tool_error', data.message), error: data };
  }
}

async function checkResult({ tool, client }: PreparedTool, call: Call, received: ToolOutcome): Promise<ToolOutcome> {
  if (client === undefined) return received;
  const given = copyJson(resultOf(received.output));
  const checked = await client.output?.check(given);
  if (checked?.ok === false) {
    return mistakeOutcome('tool_error', `The result does not fit: ${violationText(checked.violations)}`);
  }
  if (typeof tool.toModelOutput !== 'function') return received;
  const value = checked === undefined ? given : checked.value;
  return { ...received, output: await modelOutput(tool, call, copyJson(call.input), value) };
}
