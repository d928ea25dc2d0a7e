import type { ReactNode } from 'react';
import type { RequestList } from '../api/contract.js';
import { useQuery } from '../api/use-query.js';
import { useChanges } from '../app/live.js';
import { Button } from '../design/button.js';
import { Dialog } from '../design/dialog.js';
import { Failure, Notice } from '../design/notice.js';
import type { DialogEnds, Subject } from './opened-action.js';
import { RequestCard } from './request-card.js';

interface AnswerDialogProperties extends DialogEnds {
  readonly subject: Subject;
  readonly requestId?: string | undefined;
}

/** Answers what a run asks. */
export function AnswerDialog({ subject, requestId, onClose, onDone }: AnswerDialogProperties): ReactNode {
  const { data, failure, refresh } = useQuery<RequestList>('/api/requests');
  // A question that someone else answers meanwhile is not left standing as if it were open.
  useChanges((change) => {
    if (change === 'everything' || change.runIds.includes(subject.runId)) refresh();
  });
  const asked = data?.requests.filter(
    ({ runId, id }) => runId === subject.runId && (requestId === undefined || id === requestId),
  );
  return (
    <Dialog title={`Answer ${subject.name}`} onClose={onClose} foot={<Button onClick={onClose}>Close</Button>}>
      {failure !== undefined && <Failure failure={failure} retry={refresh} />}
      {data === undefined && failure === undefined && <p className="faint">Reading the questions…</p>}
      {asked?.length === 0 && <Notice tone="unknown">This is no longer open: someone answered, or it expired.</Notice>}
      {asked?.map((request) => (
        <RequestCard key={request.id} request={request} onDone={onDone} />
      ))}
    </Dialog>
  );
}
