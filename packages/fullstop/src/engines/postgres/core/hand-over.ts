import { isReadToDeath } from '../../rules/read-deaths.js';
import type { Break } from '../../store/chain.js';
import type { ClaimedRun, Damage, StoredEntry } from '../../store/operations.js';
import { readIdentity } from '../../store/rows/run-identity.js';
import { misfitOf, type NotedEnding } from '../../store/run-misfits.js';
import type { TakenRun } from './claims.js';
import type { Context } from './context.js';
import { isDamage } from './damaged-rows.js';
import type { Heads } from './journal/heads.js';
import type { Blobs } from './journal/journal-reader.js';
import { readUnconsumed, toMessage } from './messages.js';
import { setAside } from './set-aside.js';

/** The stored parts of several runs, read with one question each. */
interface Stored {
  readonly entries: ReadonlyMap<number, readonly StoredEntry[]>;
  readonly endings: readonly (NotedEnding & { readonly run: number })[];
  readonly messages: Awaited<ReturnType<typeof readUnconsumed>>;
  readonly blobs: Blobs;
}

/** Everything that the owner of runs needs, or why a run is set aside instead. The claims are durable already. */
export async function handOver(
  context: Context,
  heads: Heads,
  taken: readonly TakenRun[],
): Promise<readonly (ClaimedRun | Damage)[]> {
  if (taken.length === 0) return [];
  const stored = await readStored(
    context,
    taken.map(({ row }) => row.id),
  );
  const read: (ClaimedRun | Damage)[] = [];
  for (const each of taken) {
    const claimed = readTaken(context, each, stored);
    if (!('reason' in claimed)) read.push(claimed);
    else if (await setAside(context, { id: each.row.id, epoch: each.epoch }, claimed))
      read.push({ runId: each.row.run_id, ...claimed });
  }
  await context.sql.settle();
  context.writer.committed();
  // Only now is it certain that they are handed over: a run with a head is one that somebody here executes.
  for (const claimed of read) {
    if ('reason' in claimed) continue;
    const head = stored.entries.get(claimed.run)?.at(-1);
    if (head !== undefined) heads.begin(claimed, { seq: head.seq, hash: head.hash, at: head.at });
  }
  return read;
}

async function readStored(context: Context, runs: readonly number[]): Promise<Stored> {
  const { reader, sql } = context;
  const [entries, endings, messages] = await Promise.all([
    reader.whole(runs),
    sql.rows<NotedEnding & { readonly run: number }>(
      'SELECT run, segment, seq FROM @endings WHERE run = ANY($1::bigint[]) ORDER BY segment',
      [runs],
    ),
    readUnconsumed(context, runs),
  ]);
  const blobs = await reader.blobsOf([...entries.values()].flat());
  return { entries, endings, messages, blobs };
}

function readTaken(context: Context, taken: TakenRun, stored: Stored): ClaimedRun | Break {
  try {
    return toClaimed(context, taken, stored);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { seq: 0, reason: error.message };
  }
}

function toClaimed(context: Context, { row, epoch }: TakenRun, stored: Stored): ClaimedRun | Break {
  const { reader } = context;
  const { recoveries, recovery_seq: lastDeath } = row;
  const entries = stored.entries.get(row.id) ?? [];
  const head = entries.at(-1);
  if (isReadToDeath(recoveries) && lastDeath !== null && lastDeath === head?.seq)
    return { seq: lastDeath, reason: `its owners died ${recoveries} times before they had read it` };
  const broken = reader.brokenAt(row.run_id, entries, stored.blobs);
  if (broken !== undefined) return broken;
  const endings = stored.endings.filter(({ run }) => run === row.id);
  const open = (entry: StoredEntry): string => reader.open(entry, stored.blobs).data;
  const misfit = misfitOf(row, { entries, endings, open });
  if (misfit !== undefined) return misfit;
  const messages = stored.messages.filter(({ run }) => run === row.id).map((each) => toMessage(context, each));
  return {
    run: row.id,
    ...readIdentity(row),
    segment: row.segment,
    epoch,
    recoveries: lastDeath === head?.seq ? recoveries : 0,
    lostOwners: lastDeath === head?.seq ? row.lost_owners : null,
    entries: entries.map((entry) => reader.open(entry, stored.blobs)),
    messages,
    // Messages of one run are numbered in the order of their commits, because their senders lock its row; those of others are not.
    lastMessage: messages.at(-1)?.id ?? 0,
  };
}
