import { isReadToDeath } from '../../rules/read-deaths.js';
import type { ClaimedRun, Damage, OutputOf } from '../../store/operations.js';
import { readIdentity } from '../../store/rows/run-identity.js';
import { misfitOf } from '../../store/run-misfits.js';
import { release, type TakenRun, type TakenRuns } from './claims.js';
import type { Context } from './context.js';
import { lastMessageId, readUnconsumed } from './messages.js';
import { isDamage } from './rows/damaged-row.js';
import { setAside } from './set-aside.js';
import { storedParts } from './stored-parts.js';

/** Reads runs for those who claimed them. */
export class HandOver {
  readonly #context: Context;
  /** Runs that could be neither read nor released, because the store failed. */
  #owed: readonly TakenRun[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  one(taken: TakenRun | Damage | undefined): ClaimedRun | Damage | undefined {
    if (taken === undefined || 'reason' in taken) return taken;
    return this.#orRelease([taken], () => readOrSetAside(this.#context, taken));
  }

  several({ taken, damaged, nextWakeAt }: TakenRuns): OutputOf<'claimNext'> {
    const read = this.#orRelease(taken, () => taken.map((each) => readOrSetAside(this.#context, each)));
    return {
      claimed: read.filter((each): each is ClaimedRun => !('reason' in each)),
      damaged: [...damaged, ...read.filter((each): each is Damage => 'reason' in each)],
      nextWakeAt,
    };
  }

  /** Releases what could not be released when it had to be. */
  settle(): void {
    if (this.#owed.length === 0) return;
    this.#release(this.#owed);
    this.#owed = [];
  }

  /** Whoever claimed a run and does not get it must not keep it from others. */
  #orRelease<T>(taken: readonly TakenRun[], read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.#owed = [...this.#owed, ...taken];
      try {
        this.settle();
      } catch {
        // Before the next transaction; the error that matters is the first.
      }
      throw error;
    }
  }

  #release(taken: readonly TakenRun[]): void {
    const claims = taken.map(({ row, epoch }) => ({ run: row.id, runId: row.run_id, segment: row.segment, epoch }));
    release(this.#context, { claims, crashed: false });
  }
}

/** Everything that the owner of a run needs, or why it is set aside instead. */
function readOrSetAside(context: Context, taken: TakenRun): ClaimedRun | Damage {
  try {
    return readTaken(context, taken);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return setAside(context, taken.row, { seq: 0, reason: error.message });
  }
}

function readTaken(context: Context, { row, epoch }: TakenRun): ClaimedRun | Damage {
  const { reader, writer } = context;
  const { recoveries, recovery_seq: lastDeath } = row;
  if (isReadToDeath(recoveries) && lastDeath === writer.head(row.id).seq)
    return setAside(context, row, {
      seq: lastDeath,
      reason: `its owners died ${recoveries} times before they had read it`,
    });
  const entries = reader.verified(row.id, row.run_id);
  if ('reason' in entries) return setAside(context, row, entries);
  const misfit = misfitOf(row, storedParts(context, row.id, entries));
  if (misfit !== undefined) return setAside(context, row, misfit);
  // First the newest one: a message that arrives in between is read, and then ignored when it comes again.
  const lastMessage = lastMessageId(context);
  const messages = readUnconsumed(context, row.id);
  const head = entries.at(-1);
  if (head !== undefined) writer.hold(row.id, { seq: head.seq, hash: head.hash, at: head.at });
  return {
    run: row.id,
    ...readIdentity(row),
    segment: row.segment,
    epoch,
    recoveries: lastDeath === head?.seq ? recoveries : 0,
    lostOwners: lastDeath === head?.seq ? row.lost_owners : null,
    entries: entries.map((entry) => reader.open(entry)),
    messages,
    lastMessage,
  };
}
