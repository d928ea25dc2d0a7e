import { getToolName, isToolUIPart, type UIMessage } from 'ai';
import { type Category, isDiscarded, type UIEnding } from 'fullstop';

/** A message with its ending, as `toUIMessageStream` writes it. */
export type ChatMessage = UIMessage<{ readonly ending?: UIEnding }>;

type Part = ChatMessage['parts'][number];
type ToolPart = Extract<Part, { readonly toolCallId: string }>;

interface MessageProps {
  readonly message: ChatMessage;
  readonly isLive: boolean;
  readonly onDecide: (requestId: string, approved: boolean) => void;
  readonly onRetry?: () => void;
}

export function Message({ message, isLive, onDecide, onRetry }: MessageProps) {
  const { role, metadata } = message;
  // While a turn is under way, the ending in its metadata is that of the part before.
  const ending = isLive ? undefined : metadata?.ending;
  // Words of an attempt that failed come again; those of a turn that was stopped are the last.
  const parts = message.parts.filter((part) => !isDiscarded(part) || ending?.kind === 'cancelled');
  return (
    <article className={role} aria-label={role === 'user' ? 'You' : 'Support'}>
      {parts.map((part, index) => {
        const key = `${part.type}-${index}`;
        if (part.type === 'text') return <Text key={key} part={part} />;
        return isToolUIPart(part) ? <ToolCall key={part.toolCallId} part={part} onDecide={onDecide} /> : null;
      })}
      {ending !== undefined && <Ending ending={ending} {...(onRetry !== undefined && { onRetry })} />}
    </article>
  );
}

export function textOf({ parts }: ChatMessage): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function Text({ part }: { readonly part: Extract<Part, { readonly type: 'text' }> }) {
  return <p className={isDiscarded(part) ? 'text discarded' : 'text'}>{part.text}</p>;
}

const stateWords: Readonly<Record<ToolPart['state'], string>> = {
  'input-streaming': 'preparing',
  'input-available': 'working',
  'approval-requested': 'needs your approval',
  'approval-responded': 'answered',
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'declined',
};

function ToolCall({ part, onDecide }: { readonly part: ToolPart } & Pick<MessageProps, 'onDecide'>) {
  const name = getToolName(part).replaceAll('_', ' ');
  const { state } = part;
  return (
    <section className={`call ${state}`} aria-label={name}>
      <h3>
        <span>{name}</span> <small>{stateWords[state]}</small>
      </h3>
      <Facts value={part.input} />
      {state === 'output-available' && <Facts value={part.output} />}
      {state === 'output-error' && <p>{part.errorText}</p>}
      {state === 'approval-requested' && (
        <p className="choice">
          <button type="button" className="primary" onClick={() => onDecide(part.approval.id, true)}>
            Approve
          </button>
          <button type="button" onClick={() => onDecide(part.approval.id, false)}>
            Decline
          </button>
        </p>
      )}
    </section>
  );
}

function Facts({ value }: { readonly value: unknown }) {
  if (typeof value !== 'object' || value === null) return <p>{String(value ?? '')}</p>;
  return (
    <dl>
      {Object.entries(value).map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{String(fact)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The words for a customer and what they can do, for each of the six categories that an ending can have. */
const endingWords: Readonly<Record<Category, { readonly title: string; readonly next?: string }>> = {
  success: { title: 'Answered' },
  paused: { title: 'Waiting for you', next: 'Approve or decline above, or stop.' },
  cancelled: { title: 'Stopped', next: 'Try again, or ask something else.' },
  capacity: { title: 'This took too much', next: 'Try again, or ask for less at once.' },
  retryable: { title: 'A problem that may pass', next: 'Try again in a moment.' },
  fatal: { title: 'Something is wrong on our side', next: 'Try again later, or write to us.' },
};

/** That the turn stopped, what can be done now, and why it stopped for those who want to know. */
function Ending({ ending, onRetry }: { readonly ending: UIEnding; readonly onRetry?: () => void }) {
  const { title, next } = endingWords[ending.category as Category];
  const isOver = ending.category === 'success' || ending.category === 'paused';
  return (
    <footer className={`ending ${ending.category}`}>
      <details>
        <summary>
          <strong>{title}</strong> {next}
        </summary>
        <p>
          {ending.summary} {ending.nextAction} <code>{ending.tag}</code>
        </p>
      </details>
      {onRetry !== undefined && !isOver && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </footer>
  );
}
