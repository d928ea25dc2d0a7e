import type { RunFilter } from '../../port/engine.js';
import type { PayloadCodec } from '../../store/payload.js';
import { type ConditionWords, makeRunCondition, type RunCondition } from '../../store/rows/run-condition.js';

const words: ConditionWords = {
  isPaused: "category = 'paused'",
  mentions: (column) => `position(?::text IN lower(${column} COLLATE "default")) > 0`,
  placeholder: (ordinal) => `$${ordinal}`,
};

export function whereOf(codec: PayloadCodec, filter: RunFilter & { readonly now: number }): RunCondition {
  return makeRunCondition({ filter, codec, words });
}
