import { checkRow } from '../../door/stored-rows.js';
import type { OutboxItem } from '../../port/engine.js';
import { leaseDue, leaseUntil, settleSchedule } from '../../rules/notices.js';
import type { InputOf, OutputOf } from '../operations.js';
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
}

const select = `SELECT o.id, r.run_id, o.segment, o.target, o.payload, o.attempts, o.due_at, j.hash
  FROM outbox o JOIN runs r ON r.id = o.run
  LEFT JOIN endings e ON e.run = o.run AND e.segment = o.segment LEFT JOIN journal j ON j.run = e.run AND j.seq = e.seq`;
const inOrder = 'ORDER BY o.due_at, o.id LIMIT ?';

function toItem({ codec }: Context, row: NoticeRow): OutboxItem {
  const { id, run_id: runId, segment, target, payload, attempts, due_at: dueAt, hash } = row;
  checkRow('notice', { table: 'outbox', runId }, { id, runId, segment, target, payload, attempts, dueAt });
  const headHash = hash === null ? {} : { headHash: hash };
  return { id, runId, segment, target, payload: codec.decode(payload), ...headHash, attempts, dueAt };
}

export function dueNotices(context: Context, { now, limit }: InputOf<'dueNotices'>): OutputOf<'dueNotices'> {
  const rows = context.connection.sql<NoticeRow>(`${select} WHERE o.due_at <= ? ${inOrder}`).all(now, limit);
  return rows.map((row) => toItem(context, row));
}

/** Takes what is due and puts it off in the same transaction, so that of several processes one gets it. */
export function leaseNotices(context: Context, lease: InputOf<'leaseNotices'>): OutputOf<'leaseNotices'> {
  const dueAt = leaseUntil(lease, lease.now);
  return Object.entries(lease.slots).flatMap(([target, slots]) => {
    const rows = context.connection
      .sql<NoticeRow>(`${select} WHERE o.due_at <= ? AND o.target = ? ${inOrder}`)
      .all(leaseDue(lease, lease.now), target, slots);
    for (const { id } of rows) context.connection.sql('UPDATE outbox SET due_at = ? WHERE id = ?').run(dueAt, id);
    return rows.map((row) => ({ ...toItem(context, row), dueAt }));
  });
}

export function settleNotice(
  { connection }: Context,
  { id, retryAt, leasedUntil }: InputOf<'settleNotice'>,
): OutputOf<'settleNotice'> {
  const notice = connection
    .sql<{ attempts: number; dueAt: number }>('SELECT attempts, due_at AS dueAt FROM outbox WHERE id = ?')
    .get(id);
  const schedule = notice && settleSchedule(notice, retryAt ?? undefined, leasedUntil ?? undefined);
  if (schedule === undefined) connection.sql('DELETE FROM outbox WHERE id = ?').run(id);
  else
    connection
      .sql('UPDATE outbox SET due_at = ?, attempts = ? WHERE id = ?')
      .run(schedule.dueAt, schedule.attempts, id);
}
