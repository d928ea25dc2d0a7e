import type { Engine } from '../../engines/port/engine.js';
import { host } from '../../engines/port/host.js';
import type { EntryDraft, JournalEntry } from '../../engines/port/journal-entry.js';
import type { Ending } from '../../termination/ending.js';
import type { AnyTermination } from '../../termination/kinds.js';
import type { AgentResult } from '../agent.js';
import type { AgentState } from '../machine/state.js';
import { type AgentDelta, deltasOf, listenToDeltas } from './deltas.js';
import { type RunEventOptions, runEvents } from './run-events.js';
import { type UIMessageChunk, UIMessageWriter } from './ui-message-stream.js';

/** A run that is followed while it runs. */
export interface AgentStream<TEnding extends Ending = AnyTermination, TOutput = unknown> {
  readonly runId: string;
  /** The result, as `run` returns it. */
  readonly result: Promise<AgentResult<TEnding, TOutput>>;
  /** The words of the models as they come, from now on. Models stream only while someone asked for this. */
  deltas(): AsyncIterableIterator<AgentDelta>;
  /** The journal as it grows, from its beginning or after a cursor. */
  events(options?: RunEventOptions): AsyncIterableIterator<JournalEntry>;
  /**
   * The run as a UI message stream of the AI SDK, a ReadableStream. Its last part carries the ending in
   * `messageMetadata.ending`, on every path. To be asked for before the run has begun: right after `stream`.
   */
  toUIMessageStream<TStream = AsyncIterable<UIMessageChunk>>(): TStream;
}

/** The listeners of a run that is followed. */
export interface Followers {
  onEntry(entry: EntryDraft): void;
  onState(state: AgentState): void;
  /** Notified of the state in which a run is resumed. */
  onPast(state: AgentState): void;
}

interface Followed {
  readonly runId: string;
  readonly engine: Engine;
  start(followers: Followers): Promise<AgentResult<Ending>>;
}

/** Starts a run and lets it be followed. */
export function followRun({ runId, engine, start }: Followed): AgentStream<Ending> {
  const waiting = new Set<() => void>();
  const writers = new Set<UIMessageWriter>();
  const result = start({
    onEntry() {
      for (const wake of waiting) wake();
      waiting.clear();
    },
    onState(state) {
      for (const writer of writers) writer.onState(state);
    },
    onPast(state) {
      for (const writer of writers) writer.skip(state);
    },
  });
  // Whoever awaits the result hears of a failure there; following it must not be an unhandled rejection.
  result.catch(() => undefined);
  const changed = (): Promise<void> => new Promise((resolve) => waiting.add(resolve));
  return {
    runId,
    result,
    deltas: () => deltasOf(runId, result),
    events: (options) => runEvents({ engine, runId, ended: result, changed }, options),
    toUIMessageStream: <TStream>() => {
      const writer = new UIMessageWriter();
      writers.add(writer);
      const stop = listenToDeltas(runId, (delta) => writer.onDelta(delta));
      const ended = result.then((ending) => writer.end(ending)).finally(stop);
      return readable(writer.chunks, ended) as TStream;
    },
  };
}

/** A ReadableStream of chunks; a run that never began is an error of the stream. */
function readable(chunks: AsyncIterableIterator<UIMessageChunk>, ended: Promise<void>): unknown {
  const failed = ended.then(
    () => new Promise<never>(() => undefined),
    (error: unknown) => Promise.reject(error),
  );
  failed.catch(() => undefined);
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
