import { useCallback, useEffect, useRef, useState } from 'react';
import { type ApiFailure, getJson, withParameters } from '../api/client.js';
import type { StreamState } from '../api/event-stream.js';
import { useStream } from '../api/use-stream.js';
import { merged, type RunBody, runPath } from './run-data.js';

export interface Run {
  readonly body: RunBody | undefined;
  readonly failure: ApiFailure | undefined;
  readonly stream: StreamState;
  readonly refresh: () => void;
}

const quietTime = 250;

interface Held {
  readonly runId: string;
  readonly body?: RunBody;
  readonly failure?: ApiFailure;
}

/** Reads a run and follows it: each event of its stream leads to one question for what is new after the last entry. */
export function useRun(runId: string): Run {
  const [held, setHeld] = useState<Held>({ runId });
  const latest = useRef<Held>(held);
  const isReading = useRef(false);
  const isWanted = useRef(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const read = useCallback(async (): Promise<void> => {
    if (isReading.current) {
      isWanted.current = true;
      return;
    }
    isReading.current = true;
    isWanted.current = false;
    const { body } = latest.current.runId === runId ? latest.current : { body: undefined };
    const after = body?.head.seq ?? 0;
    const next = await getJson<RunBody>(withParameters(runPath(runId), { after: after || undefined })).then(
      (fresh): Held => ({ runId, body: merged(body, fresh, after) }),
      (failure: ApiFailure): Held => ({ runId, ...(body !== undefined && { body }), failure }),
    );
    latest.current = next;
    isReading.current = false;
    setHeld(next);
    if (isWanted.current) timer.current ??= setTimeout(again, quietTime);
  }, [runId]);
  const again = (): void => {
    timer.current = undefined;
    void read();
  };

  useEffect(() => {
    latest.current = { runId };
    isReading.current = false;
    void read();
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [runId, read]);

  const isLoaded = held.runId === runId && held.body !== undefined;
  const stream = useStream(
    isLoaded ? runPath(runId, '/events') : undefined,
    ({ type }) => {
      if (type !== 'hello') timer.current ??= setTimeout(again, quietTime);
    },
    isLoaded ? String(held.body?.head.seq) : undefined,
  );
  const current = held.runId === runId ? held : undefined;
  return { body: current?.body, failure: current?.failure, stream, refresh: () => void read() };
}
