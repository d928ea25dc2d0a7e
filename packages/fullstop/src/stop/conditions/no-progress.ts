import type { JsonObject } from '../../termination/json.js';
import { wholeLimit } from '../check-option.js';
import { defineCondition, type StopCondition } from '../condition.js';
import { numberOf } from '../fingerprint.js';
import type { LoopObservation, ObservedCall } from '../observation.js';
import { previewText } from '../preview-result.js';
import { evidenceOf, roundKey } from '../round-key.js';

interface Progress {
  /** The fingerprints of the latest iterations. */
  readonly seen: Ring;
  /** The fingerprints of the latest texts. */
  readonly texts: Ring;
  /** The fingerprint of the iteration under way, its calls so far with their results; 0 before the first. */
  readonly current: number;
  /** True when the iteration under way said something that was not said before. */
  readonly saidNew: boolean;
  readonly lastCalls: readonly ObservedCall[];
  /** Iterations in a row that brought nothing new. */
  readonly count: number;
}

/** The latest fingerprints, as numbers, because lists of texts are slow to look through; the oldest is at `next`. */
interface Ring {
  readonly keys: readonly number[];
  readonly next: number;
}

/** How far back something has to lie to be new again; it bounds the memory, and so the longest cycle that is noticed. */
const memory = 32;

/** Full of what is no fingerprint, so that remembering is always the same small copy. */
const none: Ring = { keys: Array.from({ length: memory }, () => -1), next: 0 };
const empty: Progress = { seen: none, texts: none, current: 0, saidNew: false, lastCalls: [], count: 0 };

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
    showsResults: true,
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
  const number = numberOf(key);
  const isNew = saidNew || !texts.keys.includes(number);
  return { seen, texts: remember(texts, number), current, saidNew: isNew, lastCalls, count };
}

function withRound({ seen, texts, current, saidNew, count }: Progress, calls: readonly ObservedCall[]): Progress {
  const key = roundKey(calls, 'results');
  const next = current === 0 ? key : numberOf(String(current), String(key));
  return { seen, texts, current: next, saidNew, lastCalls: evidenceOf(calls), count };
}

function withIteration({ seen, texts, current, saidNew, lastCalls, count }: Progress): Progress {
  const next = saidNew || !seen.keys.includes(current) ? 0 : count + 1;
  return { seen: remember(seen, current), texts, current: 0, saidNew: false, lastCalls, count: next };
}

/** Puts a fingerprint in the place of the oldest. */
function remember({ keys, next }: Ring, key: number): Ring {
  const copy = keys.slice();
  copy[next] = key;
  return { keys: copy, next: (next + 1) % memory };
}

function snapshot(state: Progress, { iterations, rounds, toolCalls }: LoopObservation): JsonObject {
  return { iterations, rounds, toolCalls, lastCalls: state.lastCalls.map(callWithResult) };
}

function callWithResult({ tool, input, result }: ObservedCall): JsonObject {
  return { tool, ...(input !== undefined && { input }), ...(result !== undefined && { result: previewText(result) }) };
}
