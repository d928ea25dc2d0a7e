import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { Conversation, ConversationMessage } from '../../../../cli/src/dashboard/view/conversation.js';
import type { MessagePart } from '../../../../cli/src/dashboard/view/message-parts.js';
import { grouped } from '../../../../cli/src/journal/number-text.js';
import { preciseTime } from '../../../../cli/src/journal/value-text.js';
import { type ApiFailure, getJson, withParameters } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Failure } from '../../design/notice.js';
import { useRunPlace } from '../run-address.js';
import { runPath } from '../run-data.js';
import { JsonTree } from '../text/json-tree.js';
import { MarkdownText } from '../text/markdown-text.js';
import { shownText } from '../text/shown-text.js';
import type { TabProperties } from './tab-properties.js';

const pageSize = 100;

interface Pages {
  readonly of: string;
  readonly units: readonly string[];
  readonly messages: readonly ConversationMessage[];
  readonly next: number | undefined;
  readonly failure?: ApiFailure;
}

/** Shows what was said, page by page; a run that continues adds to the last one. */
function useConversation(runId: string, of: string, head: number): readonly [Pages | undefined, () => void] {
  const [pages, setPages] = useState<Pages>();
  const read = useCallback(
    async (before: Pages | undefined): Promise<void> => {
      const after = before?.messages.at(-1)?.seq ?? 0;
      const path = of === '' ? undefined : of;
      try {
        const page = await getJson<Conversation>(
          withParameters(runPath(runId, '/conversation'), { path, after, limit: pageSize }),
        );
        const messages = [...(before?.messages ?? []), ...page.messages];
        setPages({ of, units: page.units, messages, next: page.next });
      } catch (failure) {
        setPages({ ...(before ?? { of, units: [], messages: [], next: undefined }), failure: failure as ApiFailure });
      }
    },
    [runId, of],
  );
  const current = pages?.of === of ? pages : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new entries are read after what is there, once all of it is.
  useEffect(() => {
    if (current === undefined || current.next === undefined) void read(current);
  }, [read, head]);
  return [current, () => void read(current)];
}

/** Messages, prompts, calls and results as their writers meant them. */
export function ConversationTab({ body, at, onMoment }: TabProperties): ReactNode {
  const [{ query }, go] = useRunPlace();
  const of = query.get('of') ?? '';
  const [pages, more] = useConversation(body.row.runId, of, body.head.seq);
  if (pages === undefined) return <div className="panel tab-panel soft">Reading…</div>;
  const { messages, next, units, failure } = pages;
  return (
    <div className="panel tab-panel conversation">
      {failure !== undefined && <Failure failure={failure} retry={more} />}
      {units.length > 1 && (
        <label className="field conversation-of">
          <span className="field-label">Of</span>
          <select className="input" value={of} onChange={(event) => go({ of: event.target.value })}>
            <option value="">the whole run</option>
            {units.map((path) => (
              <option key={path} value={path}>
                {path === '' ? 'the run itself' : path}
              </option>
            ))}
          </select>
        </label>
      )}
      {messages.length === 0 && failure === undefined && <p className="soft">Nothing was said yet.</p>}
      {messages
        .filter(({ seq }) => at === undefined || seq <= at)
        .map((message) => (
          <Message key={message.seq} message={message} onMoment={onMoment} />
        ))}
      {next !== undefined && <Button onClick={more}>More</Button>}
    </div>
  );
}

const roles = { prompt: 'Prompt', model: 'Model', tool: 'Tool', person: 'Person' } as const;

function Message({
  message,
  onMoment,
}: {
  readonly message: ConversationMessage;
  readonly onMoment: (seq: number) => void;
}): ReactNode {
  const { role, who, path, seq, at, parts } = message;
  return (
    <article className={`message message-${role}`} aria-label={`${roles[role]}, entry ${seq}`}>
      <header className="message-head">
        <strong>{roles[role]}</strong>
        {who !== undefined && <span className="soft">{shownText(who)}</span>}
        {path !== '' && <span className="mono faint">{shownText(path)}</span>}
        <button type="button" className="link-button numeric" title={preciseTime(at)} onClick={() => onMoment(seq)}>
          entry {seq}
        </button>
      </header>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one message never change places.
        <Part key={index} part={part} />
      ))}
    </article>
  );
}

function Part({ part }: { readonly part: MessagePart }): ReactNode {
  switch (part.type) {
    case 'text':
      return (
        <>
          <MarkdownText text={part.text} />
          <Cut part={part} />
        </>
      );
    case 'reasoning':
      return (
        <details className="reasoning">
          <summary>Reasoning</summary>
          <MarkdownText text={part.text} />
          <Cut part={part} />
        </details>
      );
    case 'error':
      return (
        <p className="message-error tone-failed" dir="auto">
          {shownText(part.text)}
        </p>
      );
    case 'call':
      return (
        <div className="message-call">
          <p>
            calls <strong>{shownText(part.tool)}</strong>
          </p>
          <JsonTree value={part.input} open={3} />
        </div>
      );
    case 'value':
      return <JsonTree value={part.value} open={2} />;
    case 'image':
      return <img className="message-image" src={part.source} alt="Attached to this message" />;
    default:
      return part satisfies never;
  }
}

function Cut({ part }: { readonly part: Extract<MessagePart, { readonly cutFrom?: number }> }): ReactNode {
  if (part.cutFrom === undefined) return null;
  return (
    <p className="faint">
      The first {grouped(part.text.length)} of {grouped(part.cutFrom)} characters; entry {part.seq} of the journal has
      all of them.
    </p>
  );
}
