import type { Engine } from 'fullstop/engine';
import { UsageError } from '../command-line/usage-error.js';

export interface StopWish {
  readonly by: string;
  readonly reason?: string | undefined;
  /** At once, without undo steps. */
  readonly hard?: boolean | undefined;
}

/** Asks a run to stop, with who and why for its journal. */
export async function askToStop(engine: Engine, runId: string, { by, reason, hard }: StopWish): Promise<void> {
  const before = await engine.ending(runId);
  if (before !== undefined && !before.open)
    throw new UsageError(`${runId} has a final ending already: ${before.summary}`);
  const why = reason === undefined ? `asked by ${by}` : `${reason} (${by})`;
  const told = await engine.cancel(runId, { by: 'operator', reason: why, ...(hard === true && { hard }) });
  if (told === 'ended') throw new UsageError(`${runId} has ended already.`);
}
