import type { ReactNode } from 'react';
import type { UnitView } from '../../../cli/src/dashboard/view/unit-view.js';
import { withParameters } from '../api/client.js';
import type { RunPageBody } from '../api/contract.js';
import { useQuery } from '../api/use-query.js';
import { Link } from '../app/link.js';
import { useChanges } from '../app/live.js';
import { runAddress } from '../app/route.js';
import { EndingPill } from '../design/ending-pill.js';
import { shownText } from './text/shown-text.js';

const mostShown = 100;

/** Runs that were spawned, each with where it is now: its own journal says that, not the one of the run that spawned it. */
export function SpawnedRuns({ runs }: { readonly runs: UnitView['spawned'] }): ReactNode {
  const shown = runs.slice(0, mostShown);
  const ids = shown.map(({ runId }) => runId);
  const path = ids.length === 0 ? undefined : withParameters('/api/runs', { ids: ids.join(',') });
  const { data, failure, refresh } = useQuery<RunPageBody>(path);
  useChanges((change) => {
    if (change === 'everything' || change.runIds.some((id) => ids.includes(id))) refresh();
  });
  if (shown.length === 0) return null;
  return (
    <ul className="plain-list spawned-runs">
      {failure !== undefined && <li className="faint">Where they are is not known: {shownText(failure.message)}</li>}
      {shown.map(({ runId, name }) => {
        const row = data?.runs.find((each) => each.runId === runId);
        return (
          <li key={runId} className="pill-row">
            spawned <Link to={runAddress(runId)}>{shownText(name)}</Link>
            {/* What was read before a failure may be old, so it is not shown as if it were not. */}
            {row !== undefined && failure === undefined && <EndingPill look={row.look} />}
            {data !== undefined && row === undefined && <span className="faint">erased</span>}
          </li>
        );
      })}
      {runs.length > shown.length && <li className="faint">and {runs.length - shown.length} more</li>}
    </ul>
  );
}
