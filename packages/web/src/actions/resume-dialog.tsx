import { type ReactNode, useState } from 'react';
import type { ActionReceipt } from '../api/contract.js';
import { Button } from '../design/button.js';
import { CopyCommand } from '../design/copy-command.js';
import { Dialog } from '../design/dialog.js';
import { Failure, Notice } from '../design/notice.js';
import { commandText } from './command-text.js';
import type { DialogEnds, Subject, Suggested } from './opened-action.js';
import { type ResumeFieldName, readResumeForm, suggestedForm } from './resume-fields.js';
import { ResumeFormFields } from './resume-form.js';
import { actionPath, useSubmission } from './use-submission.js';

interface ResumeDialogProperties extends DialogEnds {
  readonly subject: Subject;
  readonly values: Suggested;
  readonly asks: readonly string[];
}

/** Continues a run where it stopped, with what has to be different. */
export function ResumeDialog({ subject, values, asks, onClose, onDone }: ResumeDialogProperties): ReactNode {
  const [form, setForm] = useState(() => suggestedForm(values, asks));
  const { isSending, failure, send } = useSubmission<ActionReceipt>();
  const [first] = useState(() => Object.keys(form) as ResumeFieldName[]);
  const read = readResumeForm(form);
  const body = 'body' in read ? read.body : undefined;
  const submit = async (): Promise<void> => {
    const receipt = body && (await send(actionPath(subject.runId, 'resume'), body));
    if (receipt !== undefined) onDone(receipt.message, receipt.runId);
  };
  return (
    <Dialog
      title={`Resume ${subject.name}`}
      onClose={onClose}
      onSubmit={() => void submit()}
      foot={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" type="submit" disabled={isSending || body === undefined}>
            {isSending ? 'Resuming…' : 'Resume'}
          </Button>
        </>
      }
    >
      {subject.sentence !== undefined && <p className="soft wrap-anywhere">{subject.sentence}</p>}
      <ResumeFormFields form={form} onChange={setForm} first={first} asks={asks} />
      {'problem' in read && <Notice tone="stopped">{read.problem}</Notice>}
      {failure !== undefined && <Failure failure={failure} />}
      <CopyCommand command={commandText(['resume', subject.runId], body)} />
    </Dialog>
  );
}
