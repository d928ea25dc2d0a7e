import type { AssistantMessage, ModelMessage, ToolMessage, ToolResultPart } from '../../models/message.js';

const interrupted = 'This call was interrupted: it has no result.';

/**
 * The conversation with one result for every call, right after it, and no result without its call: providers refuse anything
 * else, as an interrupted run or a shortened conversation may leave it. The same list where nothing is wrong.
 */
export function repairTranscript(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const answers = pair(messages);
  const repaired: ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'tool') repaired.push(message);
    if (message.role === 'assistant') repaired.push(...resultsOf(messages, index, answers));
  }
  const isWhole =
    repaired.length === messages.length && repaired.every((message, index) => message === messages[index]);
  return isWhole ? messages : repaired;
}

/** The results by the messages that asked for them; the latest that asked counts, since providers use ids twice. */
type Answers = ReadonlyMap<AssistantMessage, ReadonlyMap<string, ToolResultPart>>;

function pair(messages: readonly ModelMessage[]): Answers {
  const answers = new Map<AssistantMessage, Map<string, ToolResultPart>>();
  const asking = new Map<string, AssistantMessage>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      answers.set(message, new Map());
      for (const { toolCallId } of callsOf(message)) asking.set(toolCallId, message);
    }
    if (message.role !== 'tool') continue;
    for (const part of message.content) {
      const asker = asking.get(part.toolCallId);
      if (asker === undefined) continue;
      answers.get(asker)?.set(part.toolCallId, part);
      asking.delete(part.toolCallId);
    }
  }
  return answers;
}

/** The tool messages after a message that asked: those that are there as they are, then one with the results that came later or never. */
function resultsOf(messages: readonly ModelMessage[], index: number, answers: Answers): readonly ToolMessage[] {
  const message = messages[index] as AssistantMessage;
  const own = answers.get(message);
  const missing = new Map(
    callsOf(message).map((call) => [call.toolCallId, own?.get(call.toolCallId) ?? noResult(call)]),
  );
  const results: ToolMessage[] = [];
  for (let next = index + 1; messages[next]?.role === 'tool'; next += 1) {
    const following = messages[next] as ToolMessage;
    const content = following.content.filter(
      (part) => missing.get(part.toolCallId) === part && missing.delete(part.toolCallId),
    );
    if (content.length === following.content.length) results.push(following);
    else if (content.length > 0) results.push({ ...following, content });
  }
  if (missing.size > 0) results.push({ role: 'tool', content: [...missing.values()] });
  return results;
}

type Calls = readonly { readonly toolCallId: string; readonly toolName: string }[];

/** The calls of a message that need a result: what the provider itself has performed has it in the message. */
export function callsOf({ content }: AssistantMessage): Calls {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === 'tool-call' && part.providerExecuted !== true ? [part] : []));
}

function noResult({ toolCallId, toolName }: Calls[number]): ToolResultPart {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: interrupted } };
}
