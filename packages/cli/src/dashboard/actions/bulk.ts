import type { StoreEngine } from 'fullstop/engines/sqlite';
import type { ActionReceipt } from '../api/action-bodies.js';
import type { BulkBody, BulkItem, BulkResult } from '../api/bulk.js';
import { toFailure } from '../http/api-error.js';
import type { Acting } from './acting.js';
import { cancelRun } from './cancel-run.js';
import { resumeRun } from './resume-run.js';
import { retryRun } from './retry-run.js';

/** Says what an action would do to each run: everything is checked as if it were done, up to the moment of writing. */
export async function previewBulk(acting: Acting, body: BulkBody): Promise<BulkResult> {
  const trying = { ...acting, engine: tryingEngine(acting.engine), ensureWorker: () => Promise.resolve() };
  return each(body, acting, async (runId) => {
    try {
      await act(trying, runId, body);
    } catch (error) {
      if (!(error instanceof WouldWrite)) throw error;
    }
    const before = await acting.engine.summary(runId);
    return { runId, message: `Will ${words[body.action]}. Now: ${before?.summary ?? before?.state ?? 'unknown'}` };
  });
}

/** Does it, run by run. One that is refused does not keep the others from it. */
export async function applyBulk(acting: Acting, body: BulkBody): Promise<BulkResult> {
  // One worker for all of them, when all are open.
  const together = { ...acting, ensureWorker: () => Promise.resolve() };
  const result = await each(body, acting, (runId) => act(together, runId, body));
  const opened = result.items.filter(({ ok }) => ok).map(({ runId, newRunId }) => newRunId ?? runId);
  if (opened.length > 0) await acting.ensureWorker(opened);
  return result;
}

const words: Readonly<Record<BulkBody['action'], string>> = {
  resume: 'be resumed where it stopped; finished steps are kept',
  retry: 'be tried again from the beginning, as a new run with the same inputs',
  cancel: 'be cancelled, after its undo steps',
};

function act(acting: Acting, runId: string, body: BulkBody): Promise<ActionReceipt> {
  const by = body.by ?? acting.by;
  switch (body.action) {
    case 'resume':
      return resumeRun(acting, runId, { ...body.changes, by });
    case 'retry':
      return retryRun(acting, runId, { by });
    case 'cancel':
      return cancelRun(acting, runId, { ...body.changes, by });
    default:
      return body satisfies never;
  }
}

async function each(
  { runIds }: BulkBody,
  { engine }: Acting,
  work: (runId: string) => Promise<Pick<ActionReceipt, 'message' | 'runId'>>,
): Promise<BulkResult> {
  const items: BulkItem[] = [];
  for (const runId of new Set(runIds)) {
    const name = (await engine.summary(runId))?.name;
    const named = { runId, ...(name !== undefined && { name }) };
    try {
      const { message, runId: newRunId } = await work(runId);
      items.push({ ...named, ok: true, message, ...(newRunId !== runId && { newRunId }) });
    } catch (error) {
      const { code, message } = toFailure(error).body.error;
      items.push({ ...named, ok: false, message, code });
    }
  }
  const possible = items.filter(({ ok }) => ok).length;
  return { items, possible, refused: items.length - possible };
}

/** Where something would be written if it were meant. */
class WouldWrite extends Error {}

/** The same store, in which nothing can be changed. */
function tryingEngine(engine: StoreEngine): StoreEngine {
  const refuse = (): Promise<never> => Promise.reject(new WouldWrite());
  return { ...engine, start: refuse, reopen: refuse, cancel: refuse, answer: refuse };
}
