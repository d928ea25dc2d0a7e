import type { ModelDelta } from '../../models/model-response.js';
import type { DeltaListener, DeltaPlace } from './deltas.js';

/** The connection between a run that this process executes and those who follow it here. */
export interface LiveChannel {
  readonly deltas: Set<DeltaListener>;
  /** Notified when the run has come further than its journal was before. */
  readonly changes: Set<() => void>;
  /** The words of the run's own model in the answer under way, for those who begin to listen in the middle of it. */
  underway: (ModelDelta & DeltaPlace)[];
}

// Entry points have their own copies of this file, and a run may be made of definitions from several of them.
const place: unique symbol = Symbol.for('fullstop.live-channels') as never;
const shared = globalThis as unknown as { [place]?: Map<string, LiveChannel> };
shared[place] ??= new Map();
const channels: Map<string, LiveChannel> = shared[place];

export function findChannel(runId: string): LiveChannel | undefined {
  return channels.get(runId);
}

export function channelOf(runId: string): LiveChannel {
  let channel = channels.get(runId);
  if (channel === undefined) {
    channel = { deltas: new Set(), changes: new Set(), underway: [] };
    channels.set(runId, channel);
  }
  return channel;
}

/** Forgets the channel of a run that nobody listens to, unless an answer is under way that someone may still ask for. */
export function closeIfIdle(runId: string): void {
  const channel = channels.get(runId);
  if (channel === undefined || channel.deltas.size > 0 || channel.changes.size > 0) return;
  if (channel.underway.length === 0) channels.delete(runId);
}

/** Wakes those who follow a run: what it has applied is in its journal, so an answer that was under way is there too. */
export function announceChange(runId: string): void {
  const channel = channels.get(runId);
  if (channel === undefined) return;
  if (channel.underway.length > 0) channel.underway = [];
  if (channel.changes.size > 0) for (const wake of [...channel.changes]) wake();
  closeIfIdle(runId);
}

/** Calls back whenever a run that is executed in this process has come further. Returns the function that stops it. */
export function listenToChanges(runId: string, listener: () => void): () => void {
  const { changes } = channelOf(runId);
  changes.add(listener);
  return () => {
    changes.delete(listener);
    closeIfIdle(runId);
  };
}
