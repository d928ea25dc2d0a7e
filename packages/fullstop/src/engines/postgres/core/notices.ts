import type { OutboxItem } from '../../port/engine.js';
import { leaseDue, leaseUntil, settleSchedule } from '../../rules/notices.js';
import { type Break, hashOfRow } from '../../store/chain.js';
import type { InputOf, OutputOf } from '../../store/operations.js';
import type { Context } from './context.js';

interface NoticeRow {
  readonly id: string;
  readonly run_id: string;
  readonly segment: number;
  readonly target: string;
  readonly payload: string;
  readonly attempts: number;
  readonly due_at: number;
  readonly hash: string | null;
  readonly row_hash: string;
}

const fromOutbox = `SELECT o.id, r.run_id, o.segment, o.target, o.payload, o.attempts, o.due_at, o.hash AS row_hash, j.hash
  FROM @outbox o JOIN @runs r ON r.id = o.run
  LEFT JOIN @endings e ON e.run = o.run AND e.segment = o.segment LEFT JOIN @journal j ON j.run = e.run AND j.seq = e.seq`;
const inOrder = 'ORDER BY o.due_at, o.id';

/** One that is damaged is not sent: `verify` names its run. */
function readable({ codec }: Context, row: NoticeRow): readonly OutboxItem[] {
  if (!fitsHash(row)) return [];
  const { id, run_id: runId, segment, target, payload, attempts, due_at: dueAt, hash } = row;
  const notice = { id, runId, segment, target, payload: codec.decode(payload), attempts, dueAt };
  return [{ ...notice, ...(hash !== null && { headHash: hash }) }];
}

/** Notices that are due. */
export async function dueNotices(
  context: Context,
  { now, limit }: InputOf<'dueNotices'>,
): Promise<OutputOf<'dueNotices'>> {
  const rows = await context.sql.rows<NoticeRow>(`${fromOutbox} WHERE o.due_at <= $1 ${inOrder} LIMIT $2`, [
    now,
    limit,
  ]);
  return rows.flatMap((row) => readable(context, row));
}

/** The notices of one run, due or not. */
export async function noticesOf(context: Context, run: number): Promise<readonly OutboxItem[]> {
  const rows = await context.sql.rows<NoticeRow>(`${fromOutbox} WHERE o.run = $1 ${inOrder}`, [run]);
  return rows.flatMap((row) => readable(context, row));
}

/** Takes what is due and puts it off in the same transaction, so that of several processes one gets it. */
export async function leaseNotices(
  context: Context,
  lease: InputOf<'leaseNotices'>,
): Promise<OutputOf<'leaseNotices'>> {
  const { sql, writer } = context;
  await writer.write();
  const dueAt = leaseUntil(lease, lease.now);
  const leased: OutboxItem[] = [];
  for (const [target, slots] of Object.entries(lease.slots)) {
    const rows = await sql.rows<NoticeRow>(
      `${fromOutbox} WHERE o.due_at <= $1 AND o.target = $2 ${inOrder} LIMIT $3 FOR UPDATE OF o SKIP LOCKED`,
      [leaseDue(lease, lease.now), target, slots],
    );
    // Those that are damaged too, or they would take the slots of the others again and again.
    sql.later('UPDATE @outbox SET due_at = $1 WHERE id = ANY($2::text[])', [dueAt, rows.map(({ id }) => id)]);
    leased.push(...rows.flatMap((row) => readable(context, row)).map((item) => ({ ...item, dueAt })));
  }
  return leased;
}

export async function settleNotice(
  { sql, writer }: Context,
  { id, retryAt, leasedUntil }: InputOf<'settleNotice'>,
): Promise<undefined> {
  await writer.write();
  const row = await sql.row<{ attempts: number; due_at: number }>(
    'SELECT attempts, due_at FROM @outbox WHERE id = $1 FOR UPDATE',
    [id],
  );
  const notice = row && { attempts: row.attempts, dueAt: row.due_at };
  const schedule = notice && settleSchedule(notice, retryAt ?? undefined, leasedUntil ?? undefined);
  if (schedule === undefined) sql.later('DELETE FROM @outbox WHERE id = $1', [id]);
  else
    sql.later('UPDATE @outbox SET due_at = $2, attempts = $3 WHERE id = $1', [id, schedule.dueAt, schedule.attempts]);
}

function fitsHash({ id, segment, target, payload, row_hash: hash }: NoticeRow): boolean {
  return hash === hashOfRow([id, segment, target], payload);
}

/** A notice of a run that is not what was written with its ending. */
export async function noticeDamage({ sql }: Context, run: number): Promise<Break | undefined> {
  const rows = await sql.rows<NoticeRow>(`${fromOutbox} WHERE o.run = $1`, [run]);
  return rows.every(fitsHash) ? undefined : { seq: 0, reason: 'a notice that is not delivered yet is damaged' };
}
