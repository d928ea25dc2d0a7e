import { type ReactNode, useEffect, useState } from 'react';
import { counted } from '../../../cli/src/journal/number-text.js';
import { type ApiFailure, postJson } from '../api/client.js';
import type { BulkBody, BulkItem, BulkResult, ResumeBody } from '../api/contract.js';
import { Button } from '../design/button.js';
import { Dialog } from '../design/dialog.js';
import { Icon } from '../design/icon.js';
import { Failure, Notice } from '../design/notice.js';
import type { DialogEnds, Suggested } from './opened-action.js';
import { type ResumeFieldName, readResumeForm, suggestedForm } from './resume-fields.js';
import { ResumeFormFields } from './resume-form.js';
import { useSubmission } from './use-submission.js';

interface BulkDialogProperties extends DialogEnds {
  readonly action: 'resume' | 'retry' | 'cancel';
  readonly title: string;
  readonly runIds: readonly string[];
  readonly count: number;
  readonly changes: ResumeBody;
}

const words = {
  resume: ['Resume', 'resumed'],
  retry: ['Start again', 'started again'],
  cancel: ['Cancel', 'cancelled'],
} as const;

/** One action for many runs: first what will happen to each, then the deed. */
export function BulkDialog({
  action,
  title,
  runIds,
  count,
  changes,
  onClose,
  onDone,
}: BulkDialogProperties): ReactNode {
  const [form, setForm] = useState(() => suggestedForm(changes as Suggested));
  const [first] = useState(() => Object.keys(form) as ResumeFieldName[]);
  const read = readResumeForm(form);
  const body = 'problem' in read ? undefined : bodyOf(action, runIds, read.body);
  const { preview, failure } = usePreview(body);
  const applied = useSubmission<BulkResult>();
  const [result, setResult] = useState<BulkResult | undefined>();
  const [verb, done] = words[action];
  const apply = async (): Promise<void> => {
    const outcome = await applied.send('/api/bulk/apply', body);
    if (outcome === undefined) return;
    if (outcome.refused === 0) onDone(`${counted(outcome.possible, 'run')} ${done}.`);
    else setResult(outcome);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void apply()}
      foot={
        <>
          <Button onClick={onClose}>Close</Button>
          {result === undefined && (
            <Button
              look={action === 'cancel' ? 'danger' : 'primary'}
              type="submit"
              disabled={applied.isSending || preview === undefined || preview.possible === 0}
            >
              {verb} {counted(preview?.possible ?? 0, 'run')}
            </Button>
          )}
        </>
      }
    >
      {count > runIds.length && (
        <Notice tone="stopped">
          These are the newest {runIds.length} of {count}; the others can be taken afterwards.
        </Notice>
      )}
      {action === 'resume' && result === undefined && <ResumeFormFields form={form} onChange={setForm} first={first} />}
      {'problem' in read && <Notice tone="stopped">{read.problem}</Notice>}
      {failure !== undefined && <Failure failure={failure} />}
      {applied.failure !== undefined && <Failure failure={applied.failure} />}
      <BulkItems title={result === undefined ? 'What will happen' : 'What happened'} result={result ?? preview} />
    </Dialog>
  );
}

function bodyOf(action: BulkBody['action'], runIds: readonly string[], changes: ResumeBody): BulkBody {
  return action === 'resume' && Object.keys(changes).length > 0 ? { action, runIds, changes } : { action, runIds };
}

interface Preview {
  readonly preview: BulkResult | undefined;
  readonly failure: ApiFailure | undefined;
}

const typingPause = 300;

/** The effect that an action would have on each run, asked for again a moment after each change. */
function usePreview(body: BulkBody | undefined): Preview {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const [held, setHeld] = useState<Preview & { readonly text?: string }>({ preview: undefined, failure: undefined });
  useEffect(() => {
    if (text === undefined) return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      postJson<BulkResult>('/api/bulk/preview', JSON.parse(text)).then(
        (preview) => isCurrent && setHeld({ text, preview, failure: undefined }),
        (failure: ApiFailure) => isCurrent && setHeld({ text, preview: undefined, failure }),
      );
    }, typingPause);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  return held.text === text ? held : { preview: undefined, failure: undefined };
}

function BulkItems({ title, result }: { readonly title: string; readonly result: BulkResult | undefined }): ReactNode {
  if (result === undefined) return <p className="faint">Looking at what would happen…</p>;
  const { items, possible, refused } = result;
  return (
    <section className="bulk">
      <h3>
        {title} to {counted(possible, 'run')}
        {refused > 0 && `; ${refused} refused`}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <ul className="bulk-items" tabIndex={0} aria-label={title}>
        {[...items]
          .sort((one, other) => Number(one.ok) - Number(other.ok))
          .map((item) => (
            <BulkLine key={item.runId} item={item} />
          ))}
      </ul>
    </section>
  );
}

function BulkLine({ item }: { readonly item: BulkItem }): ReactNode {
  return (
    <li className={`bulk-item tone-${item.ok ? 'success' : 'stopped'}`}>
      <Icon name={item.ok ? 'done' : 'warning'} size={14} />
      <code>{item.runId}</code>
      <span className="wrap-anywhere">
        <span className="visually-hidden">{item.ok ? 'Yes: ' : 'No: '}</span>
        {item.message}
      </span>
    </li>
  );
}
