import { checkOptions, someText, trueOrFalse } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import type { ObservedCall } from '../observation.js';

export interface StopOnToolOptions {
  /** True to end the run only once a call of the tool gave a result that is no error. */
  readonly succeeded?: boolean;
}

/** Calls that the model asked for and that were not made: their results say so. */
const unmade: readonly unknown[] = ['NOT_MADE', 'SKIPPED'];

/** Ends the run when this tool was called, also where the call failed; the other calls of its round are finished first. */
export function stopOnTool(tool: string, options: StopOnToolOptions = {}): StopCondition<'tool_called'> {
  const builder = 'stopOnTool';
  someText(tool, { builder, option: 'tool' });
  const { succeeded = false } = checkOptions(options, builder, ['succeeded']);
  trueOrFalse(succeeded, { builder, option: 'succeeded' });
  const counts = (call: ObservedCall): boolean =>
    call.tool === tool && (call.ok || (!succeeded && !unmade.includes(call.error.code)));
  return defineCondition({
    name: `stopOnTool(${tool})`,
    json: { type: 'stopOnTool', tool, ...(succeeded && { succeeded }) },
    kinds: ['tool_called'],
    slot: 'goal',
    evaluate: (_state, { calls }) => (calls?.some(counts) ? { kind: 'tool_called', tool } : undefined),
  });
}
