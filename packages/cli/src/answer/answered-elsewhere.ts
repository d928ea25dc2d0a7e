import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from 'fullstop/engine';

const lookMs = 250;

export interface AskedHere {
  readonly engine: Engine;
  readonly runId: string;
  /** The segment that asked. */
  readonly segment: number;
  /** Aborted when nobody is asked any more. */
  readonly signal: AbortSignal;
}

/** Waits until someone else has continued a run, and says who; undefined when the asking is over first. */
export async function answeredElsewhere({ engine, runId, segment, signal }: AskedHere): Promise<Another | undefined> {
  while (!signal.aborted) {
    const summary = await engine.summary(runId);
    if (summary !== undefined && summary.segment > segment) return { by: await openedBy(engine, runId) };
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

/** Whoever continued a run, as far as its journal says. */
export interface Another {
  readonly by: string | undefined;
}

async function openedBy(engine: Engine, runId: string): Promise<string | undefined> {
  const entries = await engine.journal(runId, { types: ['segment_opened', 'request_answered'] });
  const opened = entries.findLast((entry) => entry.type === 'segment_opened');
  if (opened?.type === 'segment_opened' && opened.data.by !== undefined) return opened.data.by;
  const answered = entries.findLast((entry) => entry.type === 'request_answered');
  return answered?.type === 'request_answered' ? answered.data.answer.by : undefined;
}
