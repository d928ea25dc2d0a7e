import type { ModelMessage } from '../../models/message.js';
import { itemsOf } from '../../run/log.js';
import type { JsonValue } from '../../termination/json.js';
import { resultParts } from '../machine/round.js';
import type { AgentState, Call } from '../machine/state.js';
import type { Prepared } from '../options/prepare.js';

/** The conversation as the agent gets it that takes over: without the instructions of this one, and with the results of its last calls. */
export function handedConversation({ options }: Prepared, state: AgentState, call: Call): JsonValue {
  const messages = itemsOf(state.messages);
  const hasInstructions = options.instructions !== undefined && messages[0]?.role === 'system';
  const taken = { type: 'text', value: 'The conversation was handed over. You continue it.' } as const;
  const round = state.round.map((each) => (each.id === call.id ? { ...each, outcome: { output: taken } } : each));
  const results: ModelMessage = { role: 'tool', content: resultParts(round) };
  return [...(hasInstructions ? messages.slice(1) : messages), results] as unknown as JsonValue;
}
