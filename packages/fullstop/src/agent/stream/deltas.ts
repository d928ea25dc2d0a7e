import type { ModelDelta } from '../../models/model-response.js';
import { AsyncQueue } from './async-queue.js';
import { channelOf, closeIfIdle, findChannel, type LiveChannel } from './live-channel.js';

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

/** Called with every piece of an answer as the model writes it. */
export type DeltaListener = (delta: AgentDelta) => void;

/**
 * Hears what the models of a run say while they say it, as long as it is executed in this process. Models are asked to stream
 * only while someone listens. Returns the function that stops it.
 */
export function listenToDeltas(runId: string, listener: DeltaListener): () => void {
  const { deltas } = channelOf(runId);
  deltas.add(listener);
  return () => {
    deltas.delete(listener);
    closeIfIdle(runId);
  };
}

/** Like `listenToDeltas`, but a listener that comes in the middle of an answer hears its beginning too. */
export function listenToWholeAnswers(runId: string, listener: DeltaListener): () => void {
  for (const delta of channelOf(runId).underway) listener(delta);
  return listenToDeltas(runId, listener);
}

/** The listener to a run's deltas; undefined when nobody listens. */
export function deltaListener(runId: string): DeltaListener | undefined {
  if ((findChannel(runId)?.deltas.size ?? 0) === 0) return undefined;
  return (delta) => {
    const channel = channelOf(runId);
    keepUnderway(channel, delta);
    for (const listener of channel.deltas) {
      try {
        listener(delta);
      } catch {
        // A listener's fault is the listener's: it must not end the run.
      }
    }
  };
}

/** Keeps what the run's own model has said of the answer under way. */
function keepUnderway(channel: LiveChannel, delta: AgentDelta): void {
  if (delta.type === 'lost' || delta.path !== '') return;
  const [first] = channel.underway;
  const isSame = first !== undefined && first.key === delta.key && first.attempt === delta.attempt;
  if (delta.type === 'attempt_discarded') channel.underway = [];
  else if (isSame) channel.underway.push(delta);
  else channel.underway = [delta];
}

const mostWaiting = 1_000;

/** The deltas of a run as they come. A reader that is too slow loses the oldest, and is notified. */
export function deltasOf(runId: string, ended: PromiseLike<unknown>): AsyncIterableIterator<AgentDelta> {
  const queue = new DeltaQueue(() => stop());
  const stop = listenToDeltas(runId, (delta) => queue.offer(delta));
  const finish = (): void => {
    stop();
    queue.close();
  };
  ended.then(finish, finish);
  return queue;
}

/** Read directly: a generator around it would cost every delta several promises. */
class DeltaQueue extends AsyncQueue<AgentDelta> {
  #lost = 0;

  offer(delta: AgentDelta): void {
    if (this.size >= mostWaiting) {
      this.drop();
      this.#lost += 1;
    }
    this.push(delta);
  }

  override next(): Promise<IteratorResult<AgentDelta, undefined>> {
    if (this.#lost === 0) return super.next();
    const count = this.#lost;
    this.#lost = 0;
    return Promise.resolve({ done: false, value: { type: 'lost', count } });
  }
}
