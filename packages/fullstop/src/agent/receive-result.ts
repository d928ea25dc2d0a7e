import { toErrorData } from '../termination/to-error-data.js';
import { copyJson } from './copy-json.js';
import { afterTool, modelOutput, plainOutput } from './perform-tool.js';
import type { Prepared, PreparedTool } from './prepared.js';
import { mistaken } from './round.js';
import { violationText } from './schema.js';
import type { Call, ToolOutcome } from './state.js';

/** Looks at a result that came from outside: it has to fit the tool's schema, and is shown and changed like any other. */
export async function receiveResult(prepared: Prepared, call: Call): Promise<ToolOutcome> {
  const { tool, client } = prepared.tools.get(call.tool) as PreparedTool;
  const received = call.received ?? null;
  try {
    const checked = await client?.output?.check(copyJson(received));
    if (checked?.ok === false) {
      return mistaken('tool_error', `The result does not fit: ${violationText(checked.violations)}`);
    }
    const isShown = typeof tool.toModelOutput === 'function';
    const value = checked === undefined ? copyJson(received) : checked.value;
    const output = isShown ? await modelOutput(tool, call, copyJson(call.input), value) : plainOutput(received);
    return prepared.options.hooks?.afterTool === undefined ? { output } : await afterTool(prepared, call, { output });
  } catch (error) {
    const data = toErrorData(error);
    return { ...mistaken('tool_error', data.message), error: data };
  }
}
