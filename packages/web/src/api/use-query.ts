import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiFailure, getJson } from './client.js';

/** A body that is being read. A failed refresh keeps what was there and says so. */
export interface Query<Body> {
  readonly data: Body | undefined;
  readonly failure: ApiFailure | undefined;
  readonly isLoading: boolean;
  readonly refresh: () => void;
}

interface Held<Body> {
  readonly path: string | undefined;
  readonly data?: Body;
  readonly failure?: ApiFailure;
}

/** Reads a body and keeps it current: anew when the path changes, and again at each refresh. No path, no request. */
export function useQuery<Body>(path: string | undefined): Query<Body> {
  const [held, setHeld] = useState<Held<Body>>({ path });
  const [isLoading, setLoading] = useState(path !== undefined);
  const wanted = useRef(path);
  wanted.current = path;

  const read = useCallback((signal?: AbortSignal) => {
    const asked = wanted.current;
    if (asked === undefined) return;
    setLoading(true);
    getJson<Body>(asked, signal).then(
      (data) => {
        if (wanted.current !== asked || signal?.aborted) return;
        setHeld({ path: asked, data });
        setLoading(false);
      },
      (failure: ApiFailure) => {
        if (wanted.current !== asked || signal?.aborted) return;
        setHeld((before) => ({ ...(before.path === asked ? before : {}), path: asked, failure }));
        setLoading(false);
      },
    );
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed path is a new question.
  useEffect(() => {
    const abort = new AbortController();
    read(abort.signal);
    return () => abort.abort();
  }, [path, read]);

  const refresh = useCallback(() => read(), [read]);
  const current = held.path === path ? held : undefined;
  return { data: current?.data, failure: current?.failure, isLoading, refresh };
}
