import { useEffect, useRef, useState } from 'react';
import { followStream, type StreamEvent, type StreamState } from './event-stream.js';

/**
 * Follows a stream while the page is visible. A browser opens only a handful of connections to one host, so a tab in the
 * background holds none; it continues after the last event when someone looks at it again.
 */
export function useStream(
  path: string | undefined,
  onEvent: (event: StreamEvent) => void,
  lastEventId?: string,
): StreamState {
  const [state, setState] = useState<StreamState>({ name: 'connecting' });
  const listener = useRef(onEvent);
  listener.current = onEvent;
  const last = useRef(lastEventId);

  // biome-ignore lint/correctness/useExhaustiveDependencies: where to begin is read once for each path.
  useEffect(() => {
    if (path === undefined) return;
    last.current = lastEventId;
    let abort: AbortController | undefined;
    const follow = (): void => {
      abort = new AbortController();
      const { signal } = abort;
      void followStream(path, {
        signal,
        onState: (next) => {
          if (!signal.aborted) setState(next);
        },
        onEvent: (event) => {
          if (event.id !== undefined) last.current = event.id;
          listener.current(event);
        },
        ...(last.current !== undefined && { lastEventId: last.current }),
      });
    };
    const change = (): void => {
      abort?.abort();
      if (document.visibilityState === 'visible') follow();
    };
    change();
    document.addEventListener('visibilitychange', change);
    return () => {
      document.removeEventListener('visibilitychange', change);
      abort?.abort();
    };
  }, [path]);

  return state;
}
