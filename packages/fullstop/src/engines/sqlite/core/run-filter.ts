import type { RunFilter } from '../../port/engine.js';
import type { PayloadCodec } from '../../store/payload.js';
import { type ConditionWords, makeRunCondition, type RunCondition } from '../../store/rows/run-condition.js';
import { pausedCondition } from '../migrations/version-5.js';

const words: ConditionWords = {
  isPaused: pausedCondition,
  mentions: (column) => `instr(lower(${column}), ?) > 0`,
  placeholder: () => '?',
};

export function whereOf(codec: PayloadCodec, filter: RunFilter & { readonly now: number }): RunCondition {
  return makeRunCondition({ filter, codec, words });
}
