import { type ReactNode, useState } from 'react';
import type { ActionReceipt, CancelBody } from '../api/contract.js';
import { Button } from '../design/button.js';
import { CopyCommand } from '../design/copy-command.js';
import { Dialog } from '../design/dialog.js';
import { TextField } from '../design/field.js';
import { Failure } from '../design/notice.js';
import { commandText } from './command-text.js';
import type { DialogEnds, Subject } from './opened-action.js';
import { actionPath, useSubmission } from './use-submission.js';

/** Ends a run on the wish of whoever is here. */
export function CancelDialog({ subject, onClose, onDone }: DialogEnds & { readonly subject: Subject }): ReactNode {
  const [reason, setReason] = useState('');
  const [hard, setHard] = useState(false);
  const { isSending, failure, send } = useSubmission<ActionReceipt>();
  const body: CancelBody = { ...(reason !== '' && { reason }), ...(hard && { hard }) };
  const submit = async (): Promise<void> => {
    const receipt = await send(actionPath(subject.runId, 'cancel'), body);
    if (receipt !== undefined) onDone(receipt.message, receipt.runId);
  };
  return (
    <Dialog
      title={`Cancel ${subject.name}`}
      onClose={onClose}
      onSubmit={() => void submit()}
      foot={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" type="submit" disabled={isSending}>
            {isSending ? 'Cancelling…' : 'Cancel the run'}
          </Button>
        </>
      }
    >
      <TextField label="Reason" value={reason} onChange={setReason} hint="It stands in the ending." />
      <label className="check">
        <input type="checkbox" checked={hard} onChange={({ target }) => setHard(target.checked)} />
        At once, without undo steps
      </label>
      {failure !== undefined && <Failure failure={failure} />}
      <CopyCommand command={commandText(['cancel', subject.runId], body)} />
    </Dialog>
  );
}
