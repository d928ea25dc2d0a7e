import { useCallback } from 'react';
import { currentAddress, navigate, usePlace } from '../app/location.js';

/** The parts of the address that say where in a run the reader is. */
export interface RunPlace {
  /** The unit or node whose card is open. */
  readonly unit: string | undefined;
  /** The unit that is drawn instead of the whole run. */
  readonly inside: string;
  readonly query: URLSearchParams;
  readonly path: string;
}

export type PlaceChange = Readonly<Record<string, string | number | undefined>>;

/** Reads the place, and goes to another one: what is not named stays as it is. */
export function useRunPlace(): readonly [
  RunPlace,
  (change: PlaceChange, options?: { readonly replace?: boolean }) => void,
] {
  const { path, query } = usePlace();
  const go = useCallback((change: PlaceChange, options: { readonly replace?: boolean } = {}) => {
    const [path = '', query = ''] = currentAddress().split('?');
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, String(value));
    }
    navigate(`${path}${next.size === 0 ? '' : `?${next}`}`, options);
  }, []);
  return [{ path, query, unit: query.get('unit') ?? undefined, inside: query.get('in') ?? '' }, go];
}
