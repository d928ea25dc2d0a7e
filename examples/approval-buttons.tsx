import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';

/** The calls of a run that wait for this user. The answer is sent as soon as all of them have one. */
export function Approvals({ runId }: { readonly runId: string }) {
  const { messages, addToolApprovalResponse: answer } = useChat({
    transport: new DefaultChatTransport({ api: `/chats/${runId}/answer` }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const calls = messages.flatMap(({ parts }) => parts.filter(isToolUIPart));
  return calls.map((part) => {
    if (part.state !== 'approval-requested') return null;
    const { id } = part.approval;
    return (
      <p key={part.toolCallId}>
        {part.type} {JSON.stringify(part.input)}
        <button type="button" onClick={() => answer({ id, approved: true })}>
          Approve
        </button>
        <button type="button" onClick={() => answer({ id, approved: false, reason: 'too late' })}>
          Deny
        </button>
      </p>
    );
  });
}
