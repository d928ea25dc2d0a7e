import type { ModelMessage } from '../models/message.js';
import type { AgentInput } from './options/agent-options.js';

/** The conversation that an input begins, with the instructions in front. */
export function messagesOf(input: AgentInput, instructions: string | undefined): readonly ModelMessage[] {
  const given: readonly ModelMessage[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return instructions === undefined ? given : [{ role: 'system', content: instructions }, ...given];
}
