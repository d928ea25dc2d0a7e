import { someText } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';

/** Ends the run when this tool was called and gave a result that is no error; the other calls of its round are finished first. */
export function stopOnTool(tool: string): StopCondition<'tool_called'> {
  someText(tool, { builder: 'stopOnTool', option: 'tool' });
  return defineCondition({
    name: `stopOnTool(${tool})`,
    json: { type: 'stopOnTool', tool },
    kinds: ['tool_called'],
    slot: 'goal',
    evaluate: (_state, { calls }) =>
      calls?.some((call) => call.ok && call.tool === tool) ? { kind: 'tool_called', tool } : undefined,
  });
}
