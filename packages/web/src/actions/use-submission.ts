import { useCallback, useState } from 'react';
import { type ApiFailure, postJson } from '../api/client.js';

interface Submission<Body> {
  readonly isSending: boolean;
  readonly failure: ApiFailure | undefined;
  /** Sends a body once at a time; returns what came back, or nothing where it was refused. */
  readonly send: (path: string, body: unknown) => Promise<Body | undefined>;
}

/** Performs an action of the API and keeps why it was refused. */
export function useSubmission<Body>(): Submission<Body> {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<ApiFailure | undefined>();
  const send = useCallback(async (path: string, body: unknown): Promise<Body | undefined> => {
    setSending(true);
    setFailure(undefined);
    try {
      return await postJson<Body>(path, body);
    } catch (error) {
      setFailure(error as ApiFailure);
      return undefined;
    } finally {
      setSending(false);
    }
  }, []);
  return { isSending, failure, send };
}

/** The path of an action on a run. */
export function actionPath(runId: string, action: string): string {
  return `/api/runs/${encodeURIComponent(runId)}/${action}`;
}
