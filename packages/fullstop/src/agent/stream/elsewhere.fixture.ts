import { scriptedModel } from '../../models/scripted/scripted-model.js';
import type { Agent } from '../agent.js';
import { defineAgent } from '../define-agent.js';
import { requireApproval } from '../tools/tool.js';

/** An agent that two processes have: one executes it, the other follows. */
export function travelling(): Agent {
  return defineAgent({
    name: 'travelling',
    model: scriptedModel([
      { reasoning: 'first the map', text: 'let me see', toolCalls: [{ tool: 'look', input: { at: 1 }, id: 'a' }] },
      { text: 'may I?', toolCalls: [{ tool: 'pay', input: { sum: 7 }, id: 'b' }] },
      { text: 'done' },
    ]),
    tools: { look: { execute: (input: object) => input }, pay: requireApproval({ execute: () => 'paid' }) },
  }) as Agent;
}
