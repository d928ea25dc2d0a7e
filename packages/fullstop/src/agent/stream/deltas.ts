import type { ModelDelta } from '../../models/model-response.js';
import { AsyncQueue } from './async-queue.js';

/** Which call of a model a delta belongs to. */
export interface DeltaPlace {
  /** The path of the unit, empty for the run itself. */
  readonly path: string;
  /** The key of the step in that unit, as it is in the journal. */
  readonly key: string;
  /** 1 for the first; retries and fallback models count on. */
  readonly attempt: number;
}

/**
 * A piece of an answer on its way. `attempt_discarded` says that everything this attempt said is void; `lost` that so many
 * pieces were dropped because nobody read them in time. The whole answer is in the journal in any case.
 */
export type AgentDelta =
  | (ModelDelta & DeltaPlace)
  | ({ readonly type: 'attempt_discarded' } & DeltaPlace)
  | { readonly type: 'lost'; readonly count: number };

export type DeltaListener = (delta: AgentDelta) => void;

// Entry points have their own copies of this file, and a run may be made of definitions from several of them.
const place: unique symbol = Symbol.for('fullstop.delta-listeners') as never;
const shared = globalThis as unknown as { [place]?: Map<string, Set<DeltaListener>> };
shared[place] ??= new Map();
const listeners: Map<string, Set<DeltaListener>> = shared[place];

/**
 * Hears what the models of a run say while they say it, as long as it is executed in this process. Models are asked to stream
 * only while someone listens. Returns the function that stops it.
 */
export function listenToDeltas(runId: string, listener: DeltaListener): () => void {
  const all = listeners.get(runId) ?? new Set();
  listeners.set(runId, all);
  all.add(listener);
  return () => {
    all.delete(listener);
    if (all.size === 0 && listeners.get(runId) === all) listeners.delete(runId);
  };
}

/** The listener to a run's deltas; undefined when nobody listens. */
export function deltaListener(runId: string): DeltaListener | undefined {
  const all = listeners.get(runId);
  if (all === undefined) return undefined;
  return (delta) => {
    for (const listener of all) {
      try {
        listener(delta);
      } catch {
        // A listener's fault is the listener's: it must not end the run.
      }
    }
  };
}

const mostWaiting = 1_000;

/** The deltas of a run as they come. A reader that is too slow loses the oldest, and is notified. */
export function deltasOf(runId: string, ended: PromiseLike<unknown>): AsyncIterableIterator<AgentDelta> {
  let lost = 0;
  const queue = new AsyncQueue<AgentDelta>(() => stop());
  const stop = listenToDeltas(runId, (delta) => {
    if (queue.size >= mostWaiting) {
      queue.drop();
      lost += 1;
    }
    queue.push(delta);
  });
  const finish = (): void => {
    stop();
    queue.close();
  };
  ended.then(finish, finish);
  return reportLost(queue, () => {
    const count = lost;
    lost = 0;
    return count;
  });
}

async function* reportLost(
  queue: AsyncQueue<AgentDelta>,
  takeLost: () => number,
): AsyncGenerator<AgentDelta, undefined, undefined> {
  for await (const delta of queue) {
    const count = takeLost();
    if (count > 0) yield { type: 'lost', count };
    yield delta;
  }
}
