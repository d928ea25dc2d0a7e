import { outboxItem, runConditions } from '../door/argument-readers.js';
import { inOrder, readAtDoor } from '../door/door.js';
import type { ExtraDoor } from '../door/engine-door.js';
import { journal } from '../door/journal-reader.js';
import { listOf, optional, record } from '../door/reader.js';
import { anyText, callback, count, flag, hash, instant, label, name, oneOf, orNull, whole } from '../door/readers.js';
import type { PruneOptions, RunCopy, StoreEngine } from './engine-options.js';
import type { RunBelongings, RunErasure, RunLetter } from './operations.js';
import type { TallyOptions } from './tally/run-tally.js';

const pruneOptions = record<PruneOptions>({ endedBefore: instant, keep: optional(count), includeOpen: optional(flag) });
const eraseOptions = record<{ readonly by?: string }>({ by: optional(label) });
const tallyOptions = record<TallyOptions>({ ...runConditions, last: optional(whole), intervals: optional(whole) });

const letter = record<RunLetter>({
  type: oneOf('answer', 'cancel'),
  request: orNull(name),
  sender: orNull(label),
  at: instant,
  data: anyText,
  consumed: flag,
});
const belongings = record<RunBelongings>({
  state: oneOf('ready', 'running', 'parked', 'ended'),
  wakeAt: orNull(instant),
  letters: listOf(letter),
  notices: listOf(outboxItem),
});
const erasure = record<RunErasure>({ runId: name, at: instant, entries: count, head: orNull(hash), by: orNull(label) });

/** The arguments of the methods that only an engine on a store has. */
export const storeDoor: ExtraDoor<StoreEngine> = {
  prune: inOrder<Parameters<StoreEngine['prune']>>(['', pruneOptions]),
  erase: inOrder<Parameters<StoreEngine['erase']>>(['runId', name], ['', optional(eraseOptions)]),
  tally: inOrder<Parameters<StoreEngine['tally']>>(['', optional(tallyOptions)]),
  changes: inOrder<Parameters<StoreEngine['changes']>>(['after', optional(count)]),
  check: inOrder<[]>(),
  seal: inOrder<Parameters<StoreEngine['seal']>>(['to', name]),
  unseal: inOrder<[]>(),
  movedTo: inOrder<[]>(),
  runIds: inOrder<Parameters<StoreEngine['runIds']>>(['before', optional(count)]),
  copyRun: inOrder<Parameters<StoreEngine['copyRun']>>(['runId', name]),
  adoptRun: ([given]) => [
    readAtDoor('adoptRun', () => record<RunCopy>({ entries: journal, belongings }).read(given, ''), 'INVALID_JOURNAL'),
  ],
  erasures: inOrder<[]>(),
  adoptErasures: inOrder<Parameters<StoreEngine['adoptErasures']>>(['erasures', listOf(erasure)]),
  readVerified: inOrder<Parameters<StoreEngine['readVerified']>>(['runId', name], ['follow', callback]),
  verify: inOrder<Parameters<StoreEngine['verify']>>(['runId', name], ['head', optional(label)]),
};
