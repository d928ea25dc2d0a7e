import { mistakeOutcome, resultOf } from '../machine/round.js';
import type { Call, ToolOutcome } from '../machine/state.js';
import type { PreparedTool } from '../options/prepare.js';
import { violationText } from '../tools/schema.js';
import { copyJson } from './copy-json.js';
import { type AskedCall, askAfter, errorOutcome, modelOutput } from './perform-tool.js';

/**
 * Checks a result that comes from no step: of an agent inside this one, or from outside. The latter has to fit the tool's
 * schema; the tool and the hook after it may change both like any other result.
 */
export async function receiveResult(asked: AskedCall): Promise<ToolOutcome> {
  const { prepared, call } = asked;
  const received = call.outcome as ToolOutcome;
  try {
    const tool = prepared.tools.get(call.tool);
    // The result of a tool that is gone by now is a result all the same.
    const outcome = tool === undefined ? received : await checkResult(tool, call, received);
    const isHooked = prepared.options.hooks?.afterTool !== undefined && outcome.mistake === undefined;
    return isHooked ? await askAfter(asked, outcome) : outcome;
  } catch (error) {
    return errorOutcome(error);
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
