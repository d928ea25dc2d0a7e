import { type ReactNode, useState } from 'react';
import type { ActionReceipt, RetryBody, WorkflowForm } from '../api/contract.js';
import { useQuery } from '../api/use-query.js';
import { Button } from '../design/button.js';
import { CopyCommand } from '../design/copy-command.js';
import { Dialog } from '../design/dialog.js';
import { Failure, Notice } from '../design/notice.js';
import { runPath } from '../run/run-data.js';
import { InputField } from '../start/input-field.js';
import { firstValues, readChanged, type StartValues } from '../start/start-inputs.js';
import { commandText } from './command-text.js';
import { InputsField, inputWords, readInputs } from './inputs-field.js';
import type { DialogEnds, Subject } from './opened-action.js';
import { actionPath, useSubmission } from './use-submission.js';

/** Starts the same again as a new run. */
export function RetryDialog({ subject, onClose, onDone }: DialogEnds & { readonly subject: Subject }): ReactNode {
  const [text, setText] = useState('');
  const [values, setValues] = useState<StartValues>({});
  const [isJson, setJson] = useState(false);
  const { data: form, isLoading } = useQuery<WorkflowForm>(runPath(subject.runId, '/form'));
  const fields = isJson ? [] : (form?.inputs ?? []);
  const [useCurrent, setUseCurrent] = useState(false);
  const { isSending, failure, send } = useSubmission<ActionReceipt>();
  const read = fields.length > 0 ? readChanged(fields, values) : readInputs(text);
  const inputs = 'inputs' in read ? read.inputs : undefined;
  const submit = async (): Promise<void> => {
    const body: RetryBody = { ...(inputs !== undefined && { inputs }), ...(useCurrent && { useCurrent }) };
    const receipt = await send(actionPath(subject.runId, 'retry'), body);
    if (receipt !== undefined) onDone(receipt.message, receipt.runId);
  };
  return (
    <Dialog
      title={`Run ${subject.name} again`}
      onClose={onClose}
      onSubmit={() => void submit()}
      foot={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" type="submit" disabled={isSending || 'problem' in read}>
            {isSending ? 'Starting…' : 'Start a new run'}
          </Button>
        </>
      }
    >
      <p className="soft">A new run starts from the beginning; this one stays as it is.</p>
      {isLoading && form === undefined && <p className="faint">Reading its inputs…</p>}
      {fields.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={values[input.name] ?? firstValues([input])[input.name] ?? ''}
          onChange={(value) => setValues({ ...values, [input.name]: value })}
        />
      ))}
      {fields.length > 0 && 'problem' in read && <Notice tone="stopped">{read.problem}</Notice>}
      {fields.length === 0 && !isLoading && <InputsField text={text} onChange={setText} read={read} />}
      {(form?.inputs ?? []).length > 0 && (
        <button type="button" className="link-button" onClick={() => setJson(!isJson)}>
          {isJson ? 'As a form' : 'As JSON'}
        </button>
      )}
      <label className="check">
        <input type="checkbox" checked={useCurrent} onChange={({ target }) => setUseCurrent(target.checked)} />
        With the file as it is now
      </label>
      {failure !== undefined && <Failure failure={failure} />}
      <CopyCommand command={`${commandText(['retry', subject.runId], { useCurrent })}${inputWords(inputs)}`} />
    </Dialog>
  );
}
