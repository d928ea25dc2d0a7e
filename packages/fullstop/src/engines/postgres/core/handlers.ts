import type { InputOf, OperationName, OutputOf } from '../../store/operations.js';
import { changes } from './changes.js';
import { claim, claimNext, deadOwners, heartbeat, type OwnLock, release, retire, sweep } from './claims.js';
import type { Context } from './context.js';
import { answer, cancel, expire, messages, reopen } from './messages.js';
import { belongings, bury, erasures, movedTo, runIds, seal, unseal } from './moving.js';
import { dueNotices, leaseNotices, settleNotice } from './notices.js';
import { journal, status } from './reads.js';
import { openRequests } from './requests.js';
import { erase, prune } from './retention.js';
import { append, conclude, park } from './segments.js';
import { importRun, start } from './start.js';
import { list, summary } from './summaries.js';
import { tally } from './tally.js';
import { check, verified, verify } from './verify-run.js';

/** The result of an operation in its transaction; a claim is finished after it. */
type WorkOf<TName extends OperationName> = TName extends 'claim'
  ? Awaited<ReturnType<typeof claim>>
  : TName extends 'claimNext'
    ? Awaited<ReturnType<typeof claimNext>>
    : OutputOf<TName>;

type Handlers<TName extends OperationName> = {
  readonly [TOne in TName]: (context: Context, input: InputOf<TOne>, lock: OwnLock) => Promise<WorkOf<TOne>>;
};

/** Operations of files alone, and those that the store answers by itself. */
type OtherName = 'backup' | 'dataVersion';

type ReadName =
  | 'belongings'
  | 'changes'
  | 'check'
  | 'deadOwners'
  | 'dueNotices'
  | 'erasures'
  | 'journal'
  | 'list'
  | 'messages'
  | 'movedTo'
  | 'openRequests'
  | 'runIds'
  | 'status'
  | 'summary'
  | 'tally'
  | 'verified'
  | 'verify';

/** Operations that change the store; those of one batch share a transaction. */
export const writes: Handlers<Exclude<OperationName, OtherName | ReadName>> = {
  answer,
  append,
  bury,
  cancel,
  claim,
  claimNext,
  conclude,
  erase,
  expire,
  heartbeat,
  importRun,
  leaseNotices,
  park,
  prune,
  release,
  reopen,
  retire,
  seal,
  settleNotice,
  start,
  sweep,
  unseal,
};

export const reads: Handlers<ReadName> = {
  belongings,
  changes,
  check,
  deadOwners,
  dueNotices,
  erasures,
  journal,
  list,
  messages,
  movedTo,
  openRequests,
  runIds,
  status,
  summary,
  tally,
  verified,
  verify,
};

/** Operations after which others have something to do: a run became ready, a message arrived, an ending was written. */
export const announced: ReadonlySet<OperationName> = new Set<OperationName>([
  'answer',
  'cancel',
  'conclude',
  'importRun',
  'park',
  'release',
  'reopen',
  'retire',
  'start',
  'sweep',
]);
