import type { JsonObject } from '../../termination/json.js';
import type { RepeatedCall } from '../../termination/kinds/detector.js';
import { wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import { fingerprint } from '../fingerprint.js';
import type { LoopObservation, ObservedCall } from '../observation.js';
import { repeatedCalls, roundKey } from '../round-key.js';

interface Progress {
  /** The fingerprints of earlier iterations, the latest last. */
  readonly seen: readonly string[];
  /** The fingerprints of earlier texts, the latest last. */
  readonly texts: readonly string[];
  /** The fingerprint of the iteration under way, its calls so far with their results. */
  readonly current: string;
  /** True when the iteration under way said something that was not said before. */
  readonly saidNew: boolean;
  readonly lastCalls: readonly RepeatedCall[];
  /** Iterations in a row that brought nothing new. */
  readonly count: number;
}

const empty: Progress = { seen: [], texts: [], current: '', saidNew: false, lastCalls: [], count: 0 };

/** How far back something has to lie to be new again; it bounds the memory, and so the longest cycle that is noticed. */
const memory = 32;

/**
 * Ends the run after this many iterations in a row that brought nothing new: neither a text, nor calls with results,
 * that were not there before. The first iteration is always new. A poll whose result changes is progress.
 */
export function noProgress(limit = 3): StopCondition<'no_progress'> {
  wholeLimit(limit, { builder: 'noProgress', option: 'limit' });
  return defineCondition<'no_progress', Progress>({
    json: { type: 'noProgress', limit },
    kinds: ['no_progress'],
    slot: 'detector',
    init: () => empty,
    observe(state, observation) {
      const { text, calls, point } = observation;
      let next = state;
      if (text !== undefined && text.key !== '') next = withText(next, text.key);
      if (calls !== undefined && calls.length > 0) next = withRound(next, calls);
      return point === 'after_iteration' ? withIteration(next) : next;
    },
    evaluate: (state, observation) =>
      state.count >= limit
        ? { kind: 'no_progress', limit, used: state.count, snapshot: snapshot(state, observation) }
        : undefined,
  });
}

// The states below are written out field by field: copies by spread made this the slowest of all conditions.

function withText({ seen, texts, current, saidNew, lastCalls, count }: Progress, key: string): Progress {
  const isNew = saidNew || !texts.includes(key);
  return { seen, texts: remember(texts, key), current, saidNew: isNew, lastCalls, count };
}

function withRound({ seen, texts, current, saidNew, count }: Progress, calls: readonly ObservedCall[]): Progress {
  const key = roundKey(calls, 'results');
  const next = current === '' ? key : fingerprint(`${current} ${key}`);
  return { seen, texts, current: next, saidNew, lastCalls: repeatedCalls(calls), count };
}

function withIteration({ seen, texts, current, saidNew, lastCalls, count }: Progress): Progress {
  const isNew = saidNew || !seen.includes(current);
  return { seen: remember(seen, current), texts, current: '', saidNew: false, lastCalls, count: isNew ? 0 : count + 1 };
}

/** Puts a fingerprint at the end; one that is there already moves. */
function remember(keys: readonly string[], key: string): readonly string[] {
  const place = keys.indexOf(key);
  if (place !== -1 && place === keys.length - 1) return keys;
  const kept = place === -1 ? keys.slice(Math.max(0, keys.length - memory + 1)) : keys.toSpliced(place, 1);
  kept.push(key);
  return kept;
}

function snapshot(state: Progress, { iterations, rounds, toolCalls }: LoopObservation): JsonObject {
  return { iterations, rounds, toolCalls, lastCalls: state.lastCalls.map((call) => ({ ...call })) };
}
