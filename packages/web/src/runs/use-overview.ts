import { useMemo } from 'react';
import type { Overview } from '../api/contract.js';
import { type Query, useQuery } from '../api/use-query.js';
import { useChanges } from '../app/live.js';
import { filterPath, type RunFilters } from './run-filters.js';

/** How the runs of these filters ended, current while the page is open. */
export function useOverview(filters: RunFilters, parts = 48): Query<Overview> {
  const path = useMemo(() => {
    const base = filterPath('/api/overview', filters, Date.now());
    return `${base}${base.includes('?') ? '&' : '?'}bucket=${parts}`;
  }, [filters, parts]);
  const query = useQuery<Overview>(path);
  useChanges(query.refresh);
  return query;
}
