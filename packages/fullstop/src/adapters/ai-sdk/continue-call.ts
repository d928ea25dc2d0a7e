import type { JsonValue } from '../../termination/json.js';
import type { ForeignContinuation } from '../core/foreign-event.js';
import type { AiCallOptions } from './structure.js';

/** The conversation of a call that continues: what was asked, what the steps added, and the answers of people. */
export function continuedMessages(options: AiCallOptions, continuation: ForeignContinuation): readonly unknown[] {
  return [...askedMessages(options), ...continuation.messages, ...answerMessages(continuation)];
}

/** The answers of people as a message; none where nobody was asked. */
export function answerMessages(continuation: ForeignContinuation): readonly object[] {
  const answers = answerParts(continuation);
  return answers.length > 0 ? [{ role: 'tool', content: answers }] : [];
}

/** The question, as messages. */
export function askedMessages({ prompt, messages }: AiCallOptions): readonly unknown[] {
  if (messages !== undefined) return messages;
  if (Array.isArray(prompt)) return prompt;
  return prompt === undefined ? [] : [{ role: 'user', content: prompt }];
}

function answerParts({ requests, answers }: ForeignContinuation): readonly unknown[] {
  return requests.flatMap(({ id, type, tool }): readonly object[] => {
    const answer = answers.find(({ requestId }) => requestId === id);
    if (answer === undefined) return [];
    const { decision, reason, value } = answer;
    if (type === 'approval') {
      const approved = decision === 'approve';
      return [{ type: 'tool-approval-response', approvalId: id, approved, ...(reason !== undefined && { reason }) }];
    }
    const output =
      decision === 'deny'
        ? { type: 'error-text', value: reason ?? 'The call was declined.' }
        : { type: 'json', value: (value ?? null) as JsonValue };
    return [{ type: 'tool-result', toolCallId: id, toolName: tool, output }];
  });
}
