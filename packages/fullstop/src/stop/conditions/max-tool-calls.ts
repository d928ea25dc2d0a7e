import { wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';

/** Ends the run when this many tool calls have results, failed ones included. Calls of a response beyond it are not made, and the model is told. */
export function maxToolCalls(limit: number): StopCondition<'max_tool_calls'> {
  wholeLimit(limit, { builder: 'maxToolCalls', option: 'limit' });
  return defineCondition({
    json: { type: 'maxToolCalls', limit },
    kinds: ['max_tool_calls'],
    slot: 'cap',
    limits: { toolCalls: limit },
    evaluate: (_state, { toolCalls: used }) => (used >= limit ? { kind: 'max_tool_calls', limit, used } : undefined),
  });
}
