import { checkOptions, someText, trueOrFalse } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import type { ObservedCall } from '../observation.js';
import { wasMade } from '../observe.js';

export interface StopOnToolOptions {
  /** True to end the run only once a call of the tool gave a result that is no error. */
  readonly succeeded?: boolean;
}

/** Ends the run when this tool was called, also where the call failed; the other calls of its round are finished first. */
export function stopOnTool(tool: string, options: StopOnToolOptions = {}): StopCondition<'tool_called'> {
  const builder = 'stopOnTool';
  someText(tool, { builder, option: 'tool' });
  const { succeeded = false } = checkOptions(options, builder, ['succeeded']);
  trueOrFalse(succeeded, { builder, option: 'succeeded' });
  const counts = (call: ObservedCall): boolean => call.tool === tool && (call.ok || (!succeeded && wasMade(call)));
  return defineCondition({
    name: `stopOnTool(${tool})`,
    json: { type: 'stopOnTool', tool, ...(succeeded && { succeeded }) },
    kinds: ['tool_called'],
    slot: 'goal',
    evaluate: (_state, { calls }) => (calls?.some(counts) ? { kind: 'tool_called', tool } : undefined),
  });
}
