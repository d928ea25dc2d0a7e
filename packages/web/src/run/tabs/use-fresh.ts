import { useEffect, useRef } from 'react';
import type { Query } from '../../api/use-query.js';

/** Reads a tab again when the run has new entries; what is there stays until the new is. */
export function useFresh({ refresh }: Pick<Query<unknown>, 'refresh'>, head: number): void {
  const seen = useRef(head);
  useEffect(() => {
    if (seen.current === head) return;
    seen.current = head;
    refresh();
  }, [head, refresh]);
}
