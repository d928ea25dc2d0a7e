import { runConditions } from '../door/argument-readers.js';
import { inOrder } from '../door/door.js';
import type { ExtraDoor } from '../door/engine-door.js';
import { optional, record } from '../door/reader.js';
import { count, flag, instant, label, name, whole } from '../door/readers.js';
import type { PruneOptions, StoreEngine } from './engine-options.js';
import type { TallyOptions } from './run-tally.js';

const pruneOptions = record<PruneOptions>({ endedBefore: instant, keep: optional(count), includeOpen: optional(flag) });
const eraseOptions = record<{ readonly by?: string }>({ by: optional(label) });
const tallyOptions = record<TallyOptions>({ ...runConditions, last: optional(whole), intervals: optional(whole) });

/** The arguments of the methods that only an engine on a store has. */
export const storeDoor: ExtraDoor<StoreEngine> = {
  prune: inOrder<Parameters<StoreEngine['prune']>>(['', pruneOptions]),
  erase: inOrder<Parameters<StoreEngine['erase']>>(['runId', name], ['', optional(eraseOptions)]),
  tally: inOrder<Parameters<StoreEngine['tally']>>(['', optional(tallyOptions)]),
  changes: inOrder<Parameters<StoreEngine['changes']>>(['after', optional(count)]),
  check: inOrder<[]>(),
  verify: inOrder<Parameters<StoreEngine['verify']>>(['runId', name], ['head', optional(label)]),
};
