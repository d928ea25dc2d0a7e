import { useEffect, useRef, useState } from 'react';
import type { StreamState } from '../api/event-stream.js';
import { useStream } from '../api/use-stream.js';
import { runPath } from './run-data.js';
import { type HeldRun, RunReader } from './run-reader.js';

export interface Run extends Omit<HeldRun, 'runId'> {
  readonly stream: StreamState;
  readonly refresh: () => void;
}

/** Reads a run and follows it: events of its stream lead to questions for what is new after the last entry. */
export function useRun(runId: string): Run {
  const [held, setHeld] = useState<HeldRun>({ runId });
  const reader = useRef<RunReader>(undefined);
  useEffect(() => {
    const made = new RunReader(runId, setHeld);
    reader.current = made;
    void made.read();
    return () => made.close();
  }, [runId]);
  const current = held.runId === runId ? held : undefined;
  const { body, head, failure } = current ?? {};
  const stream = useStream(
    body === undefined ? undefined : runPath(runId, '/events'),
    ({ type }) => {
      if (type !== 'hello') reader.current?.want();
    },
    body === undefined ? undefined : String(body.head.seq),
  );
  return {
    ...(body !== undefined && { body }),
    ...(head !== undefined && { head }),
    ...(failure !== undefined && { failure }),
    stream,
    refresh: () => void reader.current?.read(),
  };
}
