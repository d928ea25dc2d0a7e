import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiFailure, getJson } from '../api/client.js';
import type { RunPageBody } from '../api/contract.js';
import { type Change, useChanges } from '../app/live.js';
import { addPage, applyRows, type RunPages } from './run-pages.js';

export interface Runs extends RunPages {
  readonly isLoading: boolean;
  /** The first page is not there yet. */
  readonly isFirst: boolean;
  readonly failure: ApiFailure | undefined;
  readonly loadMore: () => void;
  readonly reload: () => void;
}

const pageSize = 100;
const mostAtOnce = 200;

interface Held extends RunPages {
  readonly path: string;
  readonly isRead: boolean;
  readonly failure?: ApiFailure | undefined;
}

/** The list of a path of the API, page by page, current while the page is open. */
export function useRuns(path: string): Runs {
  const [held, setHeld] = useState<Held>(() => emptyOf(path));
  const [isLoading, setLoading] = useState(false);
  const current = useRef<Held>(held);
  const busy = useRef<string | undefined>(undefined);

  const put = useCallback((next: Held) => {
    current.current = next;
    setHeld(next);
  }, []);

  const read = useCallback(
    async (url: string, use: (page: RunPageBody, before: Held) => RunPages): Promise<void> => {
      const asked = current.current.path;
      try {
        const page = await getJson<RunPageBody>(url);
        if (current.current.path !== asked) return;
        put({ ...current.current, ...use(page, current.current), isRead: true, failure: undefined });
      } catch (error) {
        if (current.current.path === asked) put({ ...current.current, failure: error as ApiFailure });
      }
    },
    [put],
  );

  const load = useCallback(
    async (cursor: string | undefined): Promise<void> => {
      const mark = `${current.current.path} ${cursor ?? ''}`;
      if (busy.current === mark) return;
      busy.current = mark;
      setLoading(true);
      const url = extended(current.current.path, { limit: String(pageSize), ...(cursor !== undefined && { cursor }) });
      await read(url, (page, before) => {
        const fresh: RunPages = { rows: page.runs, next: page.next };
        return cursor === undefined ? fresh : addPage(before, fresh);
      });
      if (busy.current !== mark) return;
      busy.current = undefined;
      setLoading(false);
    },
    [read],
  );

  useEffect(() => {
    put(emptyOf(path));
    void load(undefined);
  }, [path, put, load]);

  useChanges((change: Change) => {
    if (change === 'everything' || change.runIds.length > mostAtOnce) return void load(undefined);
    const asked = change.runIds;
    void read(extended(path, { ids: asked.join(',') }), (page, before) => applyRows(before, asked, page.runs));
  });

  return {
    ...held,
    isLoading,
    isFirst: !held.isRead,
    failure: held.failure,
    loadMore: () => {
      if (held.next !== undefined) void load(held.next);
    },
    reload: () => void load(undefined),
  };
}

function emptyOf(path: string): Held {
  return { path, rows: [], isRead: false };
}

function extended(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`;
}
