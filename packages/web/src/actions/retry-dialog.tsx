import { type ReactNode, useState } from 'react';
import type { ActionReceipt, RetryBody } from '../api/contract.js';
import { Button } from '../design/button.js';
import { CopyCommand } from '../design/copy-command.js';
import { Dialog } from '../design/dialog.js';
import { Failure } from '../design/notice.js';
import { commandText } from './command-text.js';
import { InputsField, inputWords, readInputs } from './inputs-field.js';
import type { DialogEnds, Subject } from './opened-action.js';
import { actionPath, useSubmission } from './use-submission.js';

/** Starts the same again as a new run. */
export function RetryDialog({ subject, onClose, onDone }: DialogEnds & { readonly subject: Subject }): ReactNode {
  const [text, setText] = useState('');
  const [useCurrent, setUseCurrent] = useState(false);
  const { isSending, failure, send } = useSubmission<ActionReceipt>();
  const read = readInputs(text);
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
      <InputsField text={text} onChange={setText} read={read} />
      <label className="check">
        <input type="checkbox" checked={useCurrent} onChange={({ target }) => setUseCurrent(target.checked)} />
        With the file as it is now
      </label>
      {failure !== undefined && <Failure failure={failure} />}
      <CopyCommand command={`${commandText(['retry', subject.runId], { useCurrent })}${inputWords(inputs)}`} />
    </Dialog>
  );
}
