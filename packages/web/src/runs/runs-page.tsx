import { type ReactNode, useMemo } from 'react';
import { Link } from '../app/link.js';
import { Failure } from '../design/notice.js';
import { EndingsChart } from './endings-chart.js';
import { FilterBar } from './filter-bar.js';
import { NeedsYou } from './needs-you.js';
import { filterPath, isUnfiltered } from './run-filters.js';
import { RunList } from './run-list.js';
import { useFilters } from './use-filters.js';
import { useOverview } from './use-overview.js';
import { type Runs, useRuns } from './use-runs.js';

/** All runs, what waits for someone first. */
export function RunsPage(): ReactNode {
  const filters = useFilters();
  const path = useMemo(() => filterPath('/api/runs', filters, Date.now()), [filters]);
  const runs = useRuns(path);
  const overview = useOverview(filters);
  return (
    <div className="page stack">
      <h1 className="visually-hidden">Runs</h1>
      <NeedsYou />
      {overview.failure !== undefined && <Failure failure={overview.failure} retry={overview.refresh} />}
      {overview.data !== undefined && <EndingsChart overview={overview.data} filters={filters} />}
      <section className="panel runs-panel" aria-label="All runs">
        <FilterBar path="/" filters={filters} names={overview.data?.byName.map(({ name }) => name) ?? []} />
        {runs.failure !== undefined && (
          <div className="runs-failure">
            <Failure failure={runs.failure} retry={runs.reload} />
          </div>
        )}
        <RunHeads />
        <RunList runs={runs} />
        <ListEnd runs={runs} unfiltered={isUnfiltered(filters)} />
      </section>
    </div>
  );
}

/** The names of the columns; each row names its own values too, for whoever cannot see them. */
function RunHeads(): ReactNode {
  return (
    <div className="run-heads" aria-hidden="true">
      <span>Ending</span>
      <span>Run and reason</span>
      <span className="run-numbers">
        <span>Started</span>
        <span>Active</span>
        <span>Tokens</span>
        <span>Cost</span>
      </span>
      <span className="run-heads-next">Next</span>
    </div>
  );
}

/** The line after the last row: more, nothing more, or nothing at all. */
function ListEnd({ runs, unfiltered }: { readonly runs: Runs; readonly unfiltered: boolean }): ReactNode {
  const { rows, isLoading, isFirst, next, failure } = runs;
  if (failure !== undefined) return null;
  if (isFirst || next !== undefined)
    return <p className="list-end faint">{isLoading ? 'Reading runs…' : 'More runs follow'}</p>;
  if (rows.length > 0) return <p className="list-end faint">No older runs</p>;
  if (!unfiltered)
    return (
      <p className="list-end soft">
        No run fits these filters. <Link to="/">Show all runs</Link>
      </p>
    );
  return (
    <div className="list-end soft">
      <p>This store has no runs yet.</p>
      <p>
        Start one: <code>fullstop run FILE.yaml</code>
      </p>
    </div>
  );
}
