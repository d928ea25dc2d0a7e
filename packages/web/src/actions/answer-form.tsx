import { type ReactNode, useState } from 'react';
import type { ActionReceipt, AnswerBody, RequestRow } from '../api/contract.js';
import { useSession } from '../app/session.js';
import { Button } from '../design/button.js';
import { CopyButton, CopyCommand } from '../design/copy-command.js';
import { TextField } from '../design/field.js';
import { Failure, Notice } from '../design/notice.js';
import { answerCommand } from './answer-command.js';
import { actionPath, useSubmission } from './use-submission.js';

interface AnswerFormProperties {
  readonly request: RequestRow;
  /** Where there is little room, the command is only there to be copied. */
  readonly compact?: boolean;
  readonly onDone: (message: string, runId?: string) => void;
}

/** The contents of an answer, without the request it is for. */
export type Said = Omit<AnswerBody, 'requestId' | 'by'>;

/** The answer to a request, by whatever it asks for: a choice, a yes or no, a text, a result. */
export function AnswerForm({ request, compact = false, onDone }: AnswerFormProperties): ReactNode {
  const { readOnly, by } = useSession();
  const { isSending, failure, send } = useSubmission<ActionReceipt>();
  const answer = async (said: Said): Promise<void> => {
    const receipt = await send(actionPath(request.runId, 'answer'), { requestId: request.id, ...said });
    if (receipt !== undefined) onDone(receipt.message, request.runId);
  };
  const isOther = request.answerers !== undefined && !request.answerers.includes(by);
  const command = answerCommand(request);
  const controls: Controls = {
    request,
    disabled: readOnly || isSending || isOther,
    answer: (said) => void answer(said),
    beside: compact ? <CopyButton text={command} /> : undefined,
  };
  return (
    <div className="answer-form">
      {isOther && (
        <Notice tone="stopped">
          Only {request.answerers?.join(', ')} may answer, and you are {by}.
        </Notice>
      )}
      {request.choices.length > 0 && <Choices {...controls} />}
      {(request.type === 'approval' || isPlainGate(request)) && <YesOrNo {...controls} yes="Approve" no="Deny" />}
      {request.type === 'confirm_outcome' && request.choices.length === 0 && (
        <YesOrNo {...controls} yes="It happened" no="It did not happen" />
      )}
      {(request.type === 'client_tool' || (request.type === 'input' && request.otherAnswers)) && (
        <Words {...controls} />
      )}
      {failure !== undefined && <Failure failure={failure} />}
      {!compact && <CopyCommand command={command} />}
    </div>
  );
}

function isPlainGate({ type, choices }: RequestRow): boolean {
  return type === 'gate' && choices.length === 0;
}

interface Controls {
  readonly request: RequestRow;
  readonly disabled: boolean;
  readonly answer: (said: Said) => void;
  /** After the buttons. */
  readonly beside: ReactNode;
}

/** One button for each choice; one that asks for more shows a field first. */
function Choices({ request, disabled, answer, beside }: Controls): ReactNode {
  const [chosen, setChosen] = useState<RequestRow['choices'][number] | undefined>();
  const [text, setText] = useState('');
  const field = chosen?.field;
  const choose = (choice: RequestRow['choices'][number]): void => {
    if (choice.field === undefined) answer({ decision: 'choose', choice: choice.value });
    else setChosen(choice);
  };
  return (
    <>
      <div className="answer-buttons">
        {request.choices.map((choice, index) => (
          <Button
            key={choice.value}
            small
            look={index === 0 && choice.evades !== true ? 'primary' : 'plain'}
            disabled={disabled}
            aria-pressed={choice.field === undefined ? undefined : choice === chosen}
            onClick={() => choose(choice)}
          >
            {choice.label}
            {choice.field !== undefined && '…'}
          </Button>
        ))}
        {beside}
      </div>
      {chosen !== undefined && field !== undefined && (
        <>
          <TextField label={field.name} value={text} onChange={setText} lines={field.severalLines ? 3 : 1} />
          <div className="answer-buttons">
            <Button
              small
              look="primary"
              disabled={disabled}
              onClick={() => answer({ decision: 'choose', choice: chosen.value, fields: { [field.name]: text } })}
            >
              Send: {chosen.label}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

type Mode = 'buttons' | 'edit' | 'deny';

/** Yes or no; a call may be approved with another input, and a no may say why. */
function YesOrNo({ yes, no, ...controls }: Controls & { readonly yes: string; readonly no: string }): ReactNode {
  const { request, disabled, answer, beside } = controls;
  const [mode, setMode] = useState<Mode>('buttons');
  const [note, setNote] = useState('');
  const [text, setText] = useState(() => JSON.stringify(request.input ?? {}, null, 2));
  const edited = mode === 'edit' ? readJson(text) : undefined;
  const mayEdit = request.type === 'approval' && request.input !== undefined;
  return (
    <>
      <div className="answer-buttons">
        <Button small look="primary" disabled={disabled} onClick={() => answer({ decision: 'approve' })}>
          {yes}
        </Button>
        {mayEdit && (
          <Button
            small
            disabled={disabled}
            aria-expanded={mode === 'edit'}
            onClick={() => setMode(other(mode, 'edit'))}
          >
            Edit the input…
          </Button>
        )}
        <Button
          small
          look="danger"
          disabled={disabled}
          aria-expanded={mode === 'deny'}
          onClick={() => setMode(other(mode, 'deny'))}
        >
          {no}…
        </Button>
        {beside}
      </div>
      {mode === 'edit' && (
        <>
          <TextField label={`Input of ${request.tool ?? 'the call'}`} value={text} onChange={setText} lines={6} code />
          {edited !== undefined && 'problem' in edited && <Notice tone="stopped">{edited.problem}</Notice>}
          <div className="answer-buttons">
            <Button
              small
              look="primary"
              disabled={disabled || edited === undefined || 'problem' in edited}
              onClick={() =>
                edited !== undefined && 'value' in edited && answer({ decision: 'approve', value: edited.value })
              }
            >
              {yes} with this input
            </Button>
          </div>
        </>
      )}
      {mode === 'deny' && (
        <>
          <TextField label="Why not" value={note} onChange={setNote} hint="Whoever asked gets to read it." />
          <div className="answer-buttons">
            <Button
              small
              look="danger"
              disabled={disabled}
              onClick={() => answer({ decision: 'deny', ...(note !== '' && { note }) })}
            >
              {no}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

function other(mode: Mode, wanted: Mode): Mode {
  return mode === wanted ? 'buttons' : wanted;
}

/** A text, or the result of a tool as JSON or text. */
function Words({ request, disabled, answer, beside }: Controls): ReactNode {
  const [text, setText] = useState('');
  const isTool = request.type === 'client_tool';
  const send = (): void => {
    const read = isTool && !isTextSchema(request.schema) ? readJson(text) : { value: text };
    answer({ decision: 'value', value: 'value' in read ? read.value : text });
  };
  return (
    <>
      <TextField
        label={isTool ? `Result of ${request.tool ?? 'the tool'}` : 'Your answer'}
        value={text}
        onChange={setText}
        lines={isTool || request.severalLines ? 4 : 1}
        code={isTool}
        hint={isTool && !isTextSchema(request.schema) ? 'As JSON, or as text.' : undefined}
      />
      <div className="answer-buttons">
        <Button small look="primary" disabled={disabled || text === ''} onClick={send}>
          Send
        </Button>
        {isTool && (
          <Button
            small
            look="danger"
            disabled={disabled}
            onClick={() => answer({ decision: 'deny', note: text || 'It failed.' })}
          >
            It failed
          </Button>
        )}
        {request.choices.length === 0 && beside}
      </div>
    </>
  );
}

function isTextSchema(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'string';
}

function readJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `This is no JSON: ${(error as Error).message}` };
  }
}
