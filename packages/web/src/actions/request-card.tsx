import type { ReactNode } from 'react';
import type { RequestRow } from '../api/contract.js';
import { Link } from '../app/link.js';
import { runAddress } from '../app/route.js';
import { Icon } from '../design/icon.js';
import { Countdown, Instant } from '../design/time.js';
import { AnswerForm } from './answer-form.js';

interface RequestCardProperties {
  readonly request: RequestRow;
  readonly compact?: boolean;
  readonly onDone: (message: string, runId?: string) => void;
}

const typeWords: Readonly<Record<RequestRow['type'], string>> = {
  approval: 'Approval',
  client_tool: 'Result of a tool',
  confirm_outcome: 'Lost outcome',
  gate: 'Gate',
  input: 'Question',
};

/** A question that waits for someone, answerable where it stands. */
export function RequestCard({ request, compact = false, onDone }: RequestCardProperties): ReactNode {
  const { runId, name, type, question, summary, path, openedAt, deadline, input, tool } = request;
  const isCall = tool !== undefined && isRecord(input);
  return (
    <article className="request-card">
      <p className="request-head">
        <span className="request-type">
          <Icon name="waiting" size={13} />
          {typeWords[type]}
        </span>
        <Link className="request-run" to={runAddress(runId)}>
          {name}
        </Link>
        <span className="faint request-asked">
          asked <Instant at={openedAt} />
        </span>
        {path !== '' && <code className="faint request-path">{path}</code>}
        {deadline !== undefined && (
          <span className="run-deadline request-deadline">
            <Icon name="clock" size={13} />
            <Countdown until={deadline} />
          </span>
        )}
      </p>
      <p className="request-question wrap-anywhere" dir="auto">
        {isCall ? (summary ?? question) : question}
      </p>
      {isCall && <InputTable input={input} />}
      <AnswerForm request={request} compact={compact} onDone={onDone} />
    </article>
  );
}

const mostShown = 400;

/** The input of a call, value by value. */
function InputTable({ input }: { readonly input: object }): ReactNode {
  return (
    <dl className="request-input">
      {Object.entries(input).map(([name, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="wrap-anywhere" dir="auto">
              {text.length > mostShown ? `${text.slice(0, mostShown)}…` : text}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
