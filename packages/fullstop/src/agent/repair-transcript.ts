import type { AssistantMessage, ModelMessage, ToolMessage, ToolResultPart } from '../models/message.js';

const interrupted = 'This call was interrupted: it has no result.';

/**
 * The conversation with a result for every call: providers refuse one whose calls have none, as an interrupted run or a
 * shortened conversation may leave them. The same list where nothing is missing.
 */
export function repairTranscript(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const answered = new Set<string>();
  for (const message of messages) if (message.role === 'tool') for (const id of resultIds(message)) answered.add(id);
  const isWhole = messages.every(
    (message) => message.role !== 'assistant' || unanswered(message, answered).length === 0,
  );
  if (isWhole) return messages;
  const repaired: ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    repaired.push(message);
    const missing = missingBehind(messages, index, answered);
    if (missing.length > 0) repaired.push({ role: 'tool', content: missing });
  }
  return repaired;
}

/** What is missing goes behind the results that are there, in front of whatever else follows. */
function missingBehind(
  messages: readonly ModelMessage[],
  index: number,
  answered: ReadonlySet<string>,
): readonly ToolResultPart[] {
  if (messages[index + 1]?.role === 'tool') return [];
  let asking = index;
  while (messages[asking]?.role === 'tool') asking -= 1;
  const message = messages[asking];
  return message?.role === 'assistant' ? unanswered(message, answered) : [];
}

function unanswered({ content }: AssistantMessage, answered: ReadonlySet<string>): readonly ToolResultPart[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true || answered.has(part.toolCallId)) return [];
    const { toolCallId, toolName } = part;
    return [{ type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: interrupted } }] as const;
  });
}

function resultIds({ content }: ToolMessage): readonly string[] {
  return content.map(({ toolCallId }) => toolCallId);
}
