import type { AgentResult } from '../agent/agent.js';
import { callsOf, repairTranscript } from '../agent/machine/repair-transcript.js';
import type { AssistantMessage, ModelMessage, ToolResultPart } from '../models/message.js';
import type { Ending } from '../termination/ending.js';

/** Said in place of the model where a turn ended without an answer: providers want an answer before the next question. */
export const unanswered = 'This turn ended before it was answered.';

type Ended = Pick<AgentResult<Ending>, 'messages' | 'toolCalls' | 'iterations'>;

/**
 * The conversation after a turn, as the next turn may send it to a model, however the turn ended: every call has its result,
 * and the last word is the model's.
 */
export function settleMessages(ended: Ended, asked: readonly ModelMessage[]): readonly ModelMessage[] {
  const settled = repairTranscript(withLateResults(ended, withoutInstructions(ended.messages, asked)));
  const last = settled.at(-1);
  if (last === undefined || last.role === 'assistant' || last.role === 'system') return settled;
  return [...settled, { role: 'assistant', content: unanswered }];
}

/** The messages of a run without the instructions of its agent, which the next turn has from its own agent. */
export function withoutInstructions(
  messages: readonly ModelMessage[],
  asked: readonly ModelMessage[],
): readonly ModelMessage[] {
  return messages.slice(Math.max(0, leadingSystem(messages) - leadingSystem(asked)));
}

function leadingSystem(messages: readonly ModelMessage[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system');
  return first === -1 ? messages.length : first;
}

/** A run that was stopped in the middle of a round has results that the model was never shown; the next turn shows them. */
function withLateResults({ toolCalls, iterations }: Ended, messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const asking = messages.findLastIndex(({ role }) => role === 'assistant');
  const message = messages[asking] as AssistantMessage | undefined;
  if (message === undefined) return messages;
  const iteration = iterations.at(-1)?.iteration;
  const shown = new Set(messages.slice(asking + 1).flatMap(resultIds));
  const late = callsOf(message).flatMap(({ toolCallId, toolName }): readonly ToolResultPart[] => {
    const record = toolCalls.findLast(({ id, iteration: at }) => id === toolCallId && at === iteration);
    if (record === undefined || shown.has(toolCallId)) return [];
    return [{ type: 'tool-result', toolCallId, toolName, output: record.output }];
  });
  if (late.length === 0) return messages;
  return [...messages.slice(0, asking + 1), { role: 'tool', content: late }, ...messages.slice(asking + 1)];
}

function resultIds(message: ModelMessage): readonly string[] {
  return message.role === 'tool' ? message.content.map(({ toolCallId }) => toolCallId) : [];
}
