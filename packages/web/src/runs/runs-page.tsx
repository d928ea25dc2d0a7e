import { type ReactNode, useMemo } from 'react';
import { Link } from '../app/link.js';
import { usePlace } from '../app/location.js';
import { Failure } from '../design/notice.js';
import { FilterBar } from './filter-bar.js';
import { filterPath, isUnfiltered, readFilters } from './run-filters.js';
import { RunList } from './run-list.js';
import { type Runs, useRuns } from './use-runs.js';

/** All runs, what waits for someone first. */
export function RunsPage(): ReactNode {
  const { query } = usePlace();
  const text = query.toString();
  const filters = useMemo(() => readFilters(new URLSearchParams(text)), [text]);
  const path = useMemo(() => filterPath('/api/runs', filters, Date.now()), [filters]);
  const runs = useRuns(path);
  return (
    <div className="page">
      <h1 className="visually-hidden">Runs</h1>
      <section className="panel runs-panel" aria-label="All runs">
        <FilterBar path="/" filters={filters} names={[]} />
        {runs.failure !== undefined && (
          <div className="runs-failure">
            <Failure failure={runs.failure} retry={runs.reload} />
          </div>
        )}
        <RunList runs={runs} />
        <ListEnd runs={runs} unfiltered={isUnfiltered(filters)} />
      </section>
    </div>
  );
}

/** What comes after the last row: more, nothing more, or nothing at all. */
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
