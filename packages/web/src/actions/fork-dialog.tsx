import { type ReactNode, useState } from 'react';
import type { ActionReceipt, ForkBody } from '../api/contract.js';
import { Button } from '../design/button.js';
import { CopyCommand } from '../design/copy-command.js';
import { Dialog } from '../design/dialog.js';
import { TextField } from '../design/field.js';
import { Failure, Notice } from '../design/notice.js';
import { commandText } from './command-text.js';
import { InputsField, inputWords, readInputs } from './inputs-field.js';
import type { DialogEnds, Subject } from './opened-action.js';
import { actionPath, useSubmission } from './use-submission.js';

interface ForkDialogProperties extends DialogEnds {
  readonly subject: Subject;
  readonly at: number;
}

/** Makes a new run of the journal up to an entry. */
export function ForkDialog({ subject, at, onClose, onDone }: ForkDialogProperties): ReactNode {
  const [entry, setEntry] = useState(String(at));
  const [text, setText] = useState('');
  const { isSending, failure, send } = useSubmission<ActionReceipt>();
  const read = readInputs(text);
  const inputs = 'inputs' in read ? read.inputs : undefined;
  const number = Number(entry);
  const isEntry = Number.isSafeInteger(number) && number > 0;
  const submit = async (): Promise<void> => {
    const body: ForkBody = { at: number, ...(inputs !== undefined && { inputs }) };
    const receipt = await send(actionPath(subject.runId, 'fork'), body);
    if (receipt !== undefined) onDone(receipt.message, receipt.runId);
  };
  return (
    <Dialog
      title={`Fork ${subject.name}`}
      onClose={onClose}
      onSubmit={() => void submit()}
      foot={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" type="submit" disabled={isSending || !isEntry || 'problem' in read}>
            {isSending ? 'Forking…' : 'Fork'}
          </Button>
        </>
      }
    >
      <p className="soft">A new run gets a copy of the journal up to this entry; this one stays as it is.</p>
      <TextField label="Entry" value={entry} onChange={setEntry} mode="numeric" required />
      {!isEntry && <Notice tone="stopped">The number of an entry is needed.</Notice>}
      <InputsField text={text} onChange={setText} read={read} />
      {failure !== undefined && <Failure failure={failure} />}
      <CopyCommand command={`${commandText(['fork', subject.runId, '--at', entry])}${inputWords(inputs)}`} />
    </Dialog>
  );
}
