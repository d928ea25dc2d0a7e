import type { OutboxItem } from '../../port/engine.js';
import { leaseDue, leaseUntil, settleSchedule } from '../../rules/notices.js';
import { type Break, hashOfRow } from '../../store/chain.js';
import type { InputOf, OutputOf } from '../../store/operations.js';
import type { Context } from './context.js';
import { type Columns, integer, optional, text } from './rows/columns.js';
import type { Found } from './rows/select.js';

interface NoticeRow {
  readonly id: string;
  readonly run_id: string;
  readonly segment: number;
  readonly target: string;
  readonly payload: string;
  readonly attempts: number;
  readonly due_at: number;
  readonly hash: string | null;
  readonly row_hash: string | null;
}

const noticeColumns: Columns<NoticeRow> = {
  id: text('o.id'),
  run_id: text('r.run_id'),
  segment: integer('o.segment'),
  target: text('o.target'),
  payload: text('o.payload'),
  attempts: integer('o.attempts'),
  due_at: integer('o.due_at'),
  row_hash: optional(text('o.hash')),
  hash: optional(text('j.hash')),
};

const fromOutbox = `FROM outbox o JOIN runs r ON r.id = o.run
  LEFT JOIN endings e ON e.run = o.run AND e.segment = o.segment LEFT JOIN journal j ON j.run = e.run AND j.seq = e.seq`;
const inOrder = 'ORDER BY o.due_at, o.id LIMIT ?';

/** One that is damaged is not sent: `verify` names its run. */
function readable({ codec }: Context, found: Found<NoticeRow>): readonly OutboxItem[] {
  if (!('row' in found) || !fitsHash(found.row)) return [];
  const { id, run_id: runId, segment, target, payload, attempts, due_at: dueAt, hash } = found.row;
  const notice = { id, runId, segment, target, payload: codec.decode(payload), attempts, dueAt };
  return [{ ...notice, ...(hash !== null && { headHash: hash }) }];
}

/** Notices that are due. */
export function dueNotices(context: Context, { now, limit }: InputOf<'dueNotices'>): OutputOf<'dueNotices'> {
  return context.connection
    .select(noticeColumns, `${fromOutbox} WHERE o.due_at <= ? ${inOrder}`)
    .found(now, limit)
    .flatMap((found) => readable(context, found));
}

/** The notices of one run, due or not. */
export function noticesOf(context: Context, run: number): readonly OutboxItem[] {
  return context.connection
    .select(noticeColumns, `${fromOutbox} WHERE o.run = ? ${inOrder}`)
    .found(run, Number.MAX_SAFE_INTEGER)
    .flatMap((found) => readable(context, found));
}

/** Takes what is due and puts it off in the same transaction, so that of several processes one gets it. */
export function leaseNotices(context: Context, lease: InputOf<'leaseNotices'>): OutputOf<'leaseNotices'> {
  const { connection } = context;
  const dueAt = leaseUntil(lease, lease.now);
  return Object.entries(lease.slots).flatMap(([target, slots]) => {
    const rows = connection
      .select(noticeColumns, `${fromOutbox} WHERE o.due_at <= ? AND o.target = ? ${inOrder}`)
      .found(leaseDue(lease, lease.now), target, slots);
    // Those that are damaged too, or they would take the slots of the others again and again.
    for (const found of rows)
      if ('row' in found) connection.sql('UPDATE outbox SET due_at = ? WHERE id = ?').run(dueAt, found.row.id);
    return rows.flatMap((found) => readable(context, found)).map((item) => ({ ...item, dueAt }));
  });
}

const scheduleColumns = { attempts: integer('attempts'), dueAt: integer('due_at') };

export function settleNotice(
  { connection }: Context,
  { id, retryAt, leasedUntil }: InputOf<'settleNotice'>,
): undefined {
  const notice = connection.select(scheduleColumns, 'FROM outbox WHERE id = ?').get(id);
  const schedule = notice && settleSchedule(notice, retryAt ?? undefined, leasedUntil ?? undefined);
  if (schedule === undefined) connection.sql('DELETE FROM outbox WHERE id = ?').run(id);
  else
    connection
      .sql('UPDATE outbox SET due_at = ?, attempts = ? WHERE id = ?')
      .run(schedule.dueAt, schedule.attempts, id);
}

function fitsHash({ id, segment, target, payload, row_hash: hash }: NoticeRow): boolean {
  return hash === null || hash === hashOfRow([id, segment, target], payload);
}

/** A notice of a run that is not what was written with its ending. */
export function noticeDamage({ connection }: Context, run: number): Break | undefined {
  const found = connection
    .select(noticeColumns, 'FROM outbox o JOIN runs r ON r.id = o.run LEFT JOIN journal j ON 0 WHERE o.run = ?')
    .found(run);
  const isDamaged = found.some((each) => !('row' in each) || !fitsHash(each.row));
  return isDamaged ? { seq: 0, reason: 'a notice that is not delivered yet is damaged' } : undefined;
}
