import type { Engine } from '../../engines/port/engine.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AgentResult } from '../agent.js';
import { type AgentStream, type FollowOptions, followRun } from './agent-stream.js';
import type { JournalReader } from './ui-projection.js';

interface StartedRun {
  readonly runId: string;
  readonly engine: Engine;
  readonly reader: Promise<JournalReader>;
  /** True when only what is new belongs to the message. */
  readonly isResumed?: boolean;
  start(onStart: () => void): Promise<AgentResult<Ending>>;
}

/** Starts or resumes a run and follows it to the ending of that segment. */
export function followStarted({ runId, engine, reader, isResumed = false, start }: StartedRun): AgentStream<Ending> {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const after = isResumed ? lastSeq(engine, runId) : 0;
  // What was there before the resume has to be known before there is more.
  const result = typeof after === 'number' ? start(begin) : after.then(() => start(begin));
  let settled: AgentResult<Ending> | undefined;
  let isOver = false;
  const rested = result.then(
    (value) => {
      settled = value;
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  const ready = Promise.race([begun, result]).then(() => undefined);
  return followRun({
    runId,
    engine,
    reader,
    ready,
    after,
    result: () => result,
    settled: () => settled,
    source: { isAtRest: () => isOver, rested },
  });
}

/** The place of the latest entry; a run that is not there has none, and its resume says so. */
async function lastSeq(engine: Engine, runId: string): Promise<number> {
  try {
    const [last] = await engine.journal(runId, { newest: 1 });
    return last?.seq ?? 0;
  } catch {
    return 0;
  }
}

interface StoredRun {
  readonly runId: string;
  readonly options: FollowOptions;
  readonly reader: Promise<JournalReader>;
  result(): Promise<AgentResult<Ending> | undefined>;
}

/** Follows a run that is on an engine, whoever executes it, until it is at rest. */
export function followStored({ runId, options, reader, result }: StoredRun): AgentStream<Ending> {
  const { engine, after = 0, signal } = options;
  const ready = requireRun(engine, runId).then(() => undefined);
  const isAtRest = async (): Promise<boolean> => (await engine.ending(runId)) !== undefined;
  return followRun({
    runId,
    engine,
    reader,
    ready,
    after,
    eventsAfter: after,
    source: { isAtRest, signal },
    async result() {
      for (;;) {
        const { segment } = await requireRun(engine, runId);
        await engine.waitForEnding(runId, segment, signal);
        // Someone may have resumed it since.
        const ended = await result();
        if (ended !== undefined) return ended;
      }
    },
  });
}

async function requireRun(engine: Engine, runId: string): Promise<{ readonly segment: number }> {
  const summary = await engine.summary(runId);
  if (summary !== undefined) return summary;
  throw new FullstopError('RUN_NOT_FOUND', `There is no run ${JSON.stringify(runId)} on the ${engine.name} engine.`);
}
