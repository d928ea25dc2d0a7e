import type { JsonObject } from 'fullstop';
import type { Engine } from 'fullstop/engine';
import { watchedEngine } from './watched-engine.js';

/**
 * Starts or resumes a run without executing it: everything is checked and the segment is opened as always, and then a worker executes
 * it. Rejects where the start or the resume is refused.
 */
export async function leaveToWorker(
  engine: Engine,
  remember: JsonObject,
  open: (engine: Engine) => Promise<unknown>,
): Promise<void> {
  let isOpen = false;
  const watched = watchedEngine(engine, { onAppend: () => undefined, onRun: () => undefined, remember });
  await open({
    ...watched,
    start: async (request) => {
      const receipt = await watched.start(request);
      isOpen = true;
      return receipt;
    },
    reopen: async (request) => {
      const receipt = await watched.reopen(request);
      isOpen = receipt.status === 'opened';
      return receipt;
    },
    // Whoever opens a segment would claim it next, and otherwise wait for its ending.
    claim: () => Promise.resolve(undefined),
    waitForEnding: () => Promise.reject(new Error('A worker executes it.')),
  });
  if (!isOpen) throw new Error('Nothing was opened, and nothing says why.');
}
