import { type ReactNode, useState } from 'react';
import { counted } from '../../../cli/src/journal/number-text.js';
import { useActions } from '../actions/action-host.js';
import { RequestCard } from '../actions/request-card.js';
import type { RequestList } from '../api/contract.js';
import { useQuery } from '../api/use-query.js';
import { useChanges } from '../app/live.js';
import { Button } from '../design/button.js';
import { Failure } from '../design/notice.js';

const fewest = 3;

/** The questions that wait for someone, before everything else: the first deadline first. */
export function NeedsYou(): ReactNode {
  const { data, failure, refresh } = useQuery<RequestList>('/api/requests');
  const { tell } = useActions();
  const [all, setAll] = useState(false);
  useChanges(refresh);
  const requests = data?.requests ?? [];
  const shown = all ? requests : requests.slice(0, fewest);
  if (failure !== undefined && data === undefined) return <Failure failure={failure} retry={refresh} />;
  if (requests.length === 0) return null;
  return (
    <section className="needs-you" aria-labelledby="needs-you">
      <header className="section-head">
        <h2 id="needs-you">Needs you</h2>
        <span className="count tone-waiting">{requests.length}</span>
        {data?.complete === false && <span className="faint">and more: not every run was looked at</span>}
        {requests.length > fewest && (
          <Button small look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${counted(requests.length, 'question')}`}
          </Button>
        )}
      </header>
      {failure !== undefined && <Failure failure={failure} retry={refresh} />}
      <ul className="needs-you-cards">
        {shown.map((request) => (
          <li key={`${request.runId} ${request.id}`} className="panel needs-you-card">
            <RequestCard
              request={request}
              compact
              onDone={(message, runId) => {
                refresh();
                tell(message, runId);
              }}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
