import type { AbortSignalLike, Engine } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { Ending } from '../../termination/ending.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { AgentResult } from '../agent.js';
import { type AgentDelta, deltasOf, listenToWholeAnswers } from './deltas.js';
import { type JournalSource, journalPages } from './journal-pages.js';
import { type RunEventOptions, runEvents } from './run-events.js';
import type { UIMessageChunk } from './ui-chunk.js';
import { UIMessageWriter } from './ui-message-writer.js';
import { type JournalReader, UIProjection } from './ui-projection.js';
import type { UIMessageStreamOptions } from './ui-stream-options.js';

/** A run that is followed, while it runs or afterwards. */
export interface AgentStream<TEnding extends Ending = AnyTermination, TOutput = unknown> {
  readonly runId: string;
  /**
   * Settles when the run is there to be followed. Rejects when it never began, as with `RUN_ID_CONFLICT`, so that a server can
   * refuse before it has sent anything.
   */
  readonly ready: Promise<void>;
  /** The result, as `run` returns it. */
  readonly result: Promise<AgentResult<TEnding, TOutput>>;
  /** The words of the models as they come, from now on, where this process executes the run. Models stream only while someone asked for this. */
  deltas(): AsyncIterableIterator<AgentDelta>;
  /** The journal as it grows, from its beginning or after a cursor. */
  events(options?: RunEventOptions): AsyncIterableIterator<JournalEntry>;
  /**
   * The run as a UI message stream of the AI SDK, a ReadableStream: the same message from a live run, a run of another process
   * and a finished one. It closes with the ending in `data-ending` and `messageMetadata.ending`, on every path.
   */
  toUIMessageStream<TStream = AsyncIterable<UIMessageChunk>>(options?: UIMessageStreamOptions): TStream;
}

/** Where a run is followed, and from where on. */
export interface FollowOptions {
  readonly engine: Engine;
  /** Only what came after this entry of the journal: `cursor` of a message's ending, or `seq` of an event. From the beginning unless given. */
  readonly after?: number;
  /** Stops the following, not the run. */
  readonly signal?: AbortSignalLike;
}

/** A run together with everything that following it needs. */
export interface FollowedRun {
  readonly runId: string;
  readonly engine: Engine;
  readonly ready: Promise<void>;
  result(): Promise<AgentResult<Ending>>;
  readonly reader: Promise<JournalReader>;
  readonly source: Pick<JournalSource, 'isAtRest' | 'rested' | 'signal'>;
  /** The message up to this entry is known to whoever follows. */
  readonly after: number | Promise<number>;
  /** Where events begin unless they are asked for after another entry; at the first one unless given. */
  readonly eventsAfter?: number | undefined;
  /** The result whose segment is followed, once it is there; undefined where the journal alone says how far it goes. */
  settled?(): AgentResult<Ending> | undefined;
}

/** The stream of a run, whoever executes it: the journal decides, and deltas come early. */
export function followRun(run: FollowedRun): AgentStream<Ending> {
  return new RunStream(run);
}

/** A class for the sake of its getter: a literal with a getter makes a hidden class that keeps the whole run until a full collection. */
class RunStream implements AgentStream<Ending> {
  readonly runId: string;
  readonly ready: Promise<void>;
  readonly #run: FollowedRun;
  #result: Promise<AgentResult<Ending>> | undefined;

  constructor(run: FollowedRun) {
    this.#run = run;
    this.runId = run.runId;
    this.ready = run.ready;
    this.ready.catch(() => undefined);
  }

  get result(): Promise<AgentResult<Ending>> {
    this.#result ??= this.#run.result();
    // Whoever awaits the result hears of a failure there; following it must not be an unhandled rejection.
    this.#result.catch(() => undefined);
    return this.#result;
  }

  // Fields, because they may be taken out of the stream.
  readonly deltas = (): AsyncIterableIterator<AgentDelta> => deltasOf(this.runId, this.result);

  readonly events = (options?: RunEventOptions): AsyncIterableIterator<JournalEntry> => eventsOf(this.#run, options);

  readonly toUIMessageStream = <TStream>(options: UIMessageStreamOptions = {}): TStream =>
    uiStream(this.#run, options) as TStream;
}

async function* eventsOf(
  { ready, runId, engine, source, eventsAfter = 0 }: FollowedRun,
  { after = eventsAfter }: RunEventOptions = {},
): AsyncGenerator<JournalEntry, undefined, undefined> {
  await ready.catch(() => undefined);
  return yield* runEvents({ engine, runId, ...source }, { after });
}

/** A ReadableStream of chunks; a run that never began is an error of the stream. */
function uiStream(run: FollowedRun, options: UIMessageStreamOptions): unknown {
  const left = new host.AbortController();
  const leave = (): void => left.abort(left);
  const writer = new UIMessageWriter(options, leave);
  const { signal } = run.source;
  signal?.addEventListener('abort', leave, { once: true });
  if (signal?.aborted === true) leave();
  const failed = writeRun(run, writer, left.signal)
    .finally(() => signal?.removeEventListener('abort', leave))
    .then(
      () => new Promise<never>(() => undefined),
      (error: unknown) => Promise.reject(error),
    );
  failed.catch(() => undefined);
  const { chunks } = writer;
  return new host.ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await Promise.race([chunks.next(), failed]);
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(error);
      }
    },
    cancel: () => chunks.return?.() as PromiseLike<unknown>,
  });
}

/** Writes everything that comes of a run, and its ending. */
async function writeRun(run: FollowedRun, writer: UIMessageWriter, signal: AbortSignalLike): Promise<void> {
  const { runId, engine, source } = run;
  const early: AgentDelta[] = [];
  let onDelta = (delta: AgentDelta): void => void early.push(delta);
  // From the start on: models stream only where someone listens when they are called.
  const stop = listenToWholeAnswers(runId, (delta) => onDelta(delta));
  try {
    await run.ready;
    const after = await run.after;
    if (after > 0) writer.mute();
    const projection = new UIProjection(await run.reader, writer, after);
    onDelta = (delta) => projection.onDelta(delta);
    for (const delta of early) projection.onDelta(delta);
    let last: JournalEntry<'segment_ended'> | undefined;
    for await (const entries of journalPages({ engine, runId, ...source, signal, isPaced: true }, 0)) {
      const own = entriesOf(run, entries);
      projection.add(own);
      for (const entry of own) if (entry.type === 'segment_ended') last = entry;
    }
    if (signal.aborted) writer.chunks.close();
    else finish(run, writer, last);
  } finally {
    stop();
  }
}

/** The entries up to the segment that is followed: someone may have resumed the run since. */
function entriesOf({ settled }: FollowedRun, entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const segment = settled?.()?.segment;
  return segment === undefined ? entries : entries.filter((entry) => entry.segment <= segment);
}

function finish(run: FollowedRun, writer: UIMessageWriter, last: JournalEntry<'segment_ended'> | undefined): void {
  const result = run.settled?.();
  const ended = result ?? last?.data.envelope;
  if (ended === undefined)
    throw new FullstopError('INTERNAL_DEFECT', `The run ${run.runId} is at rest without an ending.`);
  // A store that failed at the very end has no entry of it.
  const cursor = last !== undefined && last.segment === ended.segment ? last.seq : 0;
  writer.finish(ended, cursor);
}
