import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef } from 'react';
import type { RunsChanged } from '../api/contract.js';
import type { StreamEvent, StreamState } from '../api/event-stream.js';
import { useStream } from '../api/use-stream.js';

/** The changes in the store: some runs, or so much that everything has to be read again. */
export type Change = { readonly runIds: readonly string[] } | 'everything';

interface Live {
  readonly state: StreamState;
  readonly subscribe: (listener: (change: Change) => void) => () => void;
}

const LiveContext = createContext<Live>({ state: { name: 'connecting' }, subscribe: () => () => undefined });

/** Follows the changes of the store for all parts of the page, over one connection. */
export function LiveProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const listeners = useRef(new Set<(change: Change) => void>());
  const state = useStream('/api/events', (event) => {
    const change = changeOf(event);
    if (change !== undefined) for (const listener of listeners.current) listener(change);
  });
  // The same function for good: one that changed with the state would make listeners subscribe anew, and lose what they have just been told.
  const subscribe = useCallback<Live['subscribe']>((listener) => {
    listeners.current.add(listener);
    return () => listeners.current.delete(listener);
  }, []);
  const live = useMemo<Live>(() => ({ state, subscribe }), [state, subscribe]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** A greeting begins a connection: whatever changed between the reading of what is shown and it was told to nobody. */
function changeOf({ type, data }: StreamEvent): Change | undefined {
  if (type === 'hello') return 'everything';
  if (type !== 'runs') return undefined;
  const { runIds, complete } = JSON.parse(data) as RunsChanged;
  return complete ? { runIds } : 'everything';
}

/** Where the connection is. */
export function useConnection(): StreamState {
  return useContext(LiveContext).state;
}

const quietTime = 400;

/** Tells about changes, those that come close together at once. */
export function useChanges(listener: (change: Change) => void): void {
  const { subscribe } = useContext(LiveContext);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let collected: Set<string> | 'everything' = new Set();
    const tell = (): void => {
      timer = undefined;
      const change: Change = collected === 'everything' ? collected : { runIds: [...collected] };
      collected = new Set();
      latest.current(change);
    };
    const unsubscribe = subscribe((change) => {
      if (change === 'everything') collected = 'everything';
      else if (collected !== 'everything') for (const runId of change.runIds) collected.add(runId);
      timer ??= setTimeout(tell, quietTime);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [subscribe]);
}
