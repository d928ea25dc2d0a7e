import { type ReactNode, useState } from 'react';
import { useActions } from '../actions/action-host.js';
import { commandText } from '../actions/command-text.js';
import { inputWords } from '../actions/inputs-field.js';
import { useSubmission } from '../actions/use-submission.js';
import type { ActionReceipt, StartBody, WorkflowForm } from '../api/contract.js';
import { useQuery } from '../api/use-query.js';
import { navigate } from '../app/location.js';
import { runAddress } from '../app/route.js';
import { Button } from '../design/button.js';
import { CopyCommand } from '../design/copy-command.js';
import { Failure, Notice } from '../design/notice.js';
import { InputField } from './input-field.js';
import { firstValues, readStart, type StartValues } from './start-inputs.js';

/** The inputs of a workflow as a form. */
export function StartForm({ file }: { readonly file: string }): ReactNode {
  const path = `/api/workflows/${encodeURIComponent(file)}`;
  const { data, failure, refresh } = useQuery<WorkflowForm>(`${path}/form`);
  if (failure !== undefined) return <Failure failure={failure} retry={refresh} />;
  return data === undefined ? <p className="list-end faint">Reading the file…</p> : <Form form={data} path={path} />;
}

function Form({ form, path }: { readonly form: WorkflowForm; readonly path: string }): ReactNode {
  const [values, setValues] = useState<StartValues>(() => firstValues(form.inputs));
  const [asked, setAsked] = useState(false);
  const { isSending, failure, send } = useSubmission<ActionReceipt>();
  const { tell } = useActions();
  const read = readStart(form.inputs, values);
  const inputs = 'inputs' in read ? read.inputs : undefined;
  const submit = async (): Promise<void> => {
    setAsked(true);
    const body: StartBody | undefined = inputs && { inputs };
    const receipt = body && (await send(`${path}/start`, body));
    if (receipt === undefined) return;
    tell(receipt.message);
    navigate(runAddress(receipt.runId));
  };
  return (
    <form
      className="start-fields"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>{form.name}</h2>
      {form.description !== undefined && <p className="soft">{form.description}</p>}
      {form.warnings.map((warning) => (
        <Notice key={warning} tone="stopped">
          {warning}
        </Notice>
      ))}
      {form.inputs.length === 0 && <p className="soft">It has no inputs.</p>}
      {form.inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={values[input.name] ?? ''}
          onChange={(value) => setValues({ ...values, [input.name]: value })}
        />
      ))}
      {asked && 'problem' in read && <Notice tone="stopped">{read.problem}</Notice>}
      {failure !== undefined && <Failure failure={failure} />}
      <CopyCommand command={`${commandText(['run', form.file])}${inputWords(inputs)}`} />
      <div>
        <Button look="primary" type="submit" disabled={isSending}>
          {isSending ? 'Starting…' : `Start ${form.name}`}
        </Button>
      </div>
    </form>
  );
}
