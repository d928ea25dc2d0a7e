import { useMemo } from 'react';
import { usePlace } from '../app/location.js';
import { type RunFilters, readFilters } from './run-filters.js';

/** The filters of the address; the same object as long as they stay the same. */
export function useFilters(): RunFilters {
  const { query } = usePlace();
  const text = query.toString();
  return useMemo(() => readFilters(new URLSearchParams(text)), [text]);
}
