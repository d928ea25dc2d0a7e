import type { OutboxItem } from '../../port/engine.js';
import { settleSchedule } from '../../rules/notices.js';
import { type Break, hashOfRow } from '../chain.js';
import type { InputOf, OutputOf } from '../operations.js';
import type { Context } from './context.js';
import { type Columns, integer, optional, text } from './rows/columns.js';

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

/** Notices that are due. One that is damaged is not sent: `verify` names its run. */
export function dueNotices(
  { connection, codec }: Context,
  { now, limit }: InputOf<'dueNotices'>,
): OutputOf<'dueNotices'> {
  return connection
    .select(
      noticeColumns,
      `FROM outbox o JOIN runs r ON r.id = o.run
       LEFT JOIN endings e ON e.run = o.run AND e.segment = o.segment LEFT JOIN journal j ON j.run = e.run AND j.seq = e.seq WHERE o.due_at <= ? ORDER BY o.due_at, o.id LIMIT ?`,
    )
    .found(now, limit)
    .flatMap((found): readonly OutboxItem[] => {
      if (!('row' in found) || !fitsHash(found.row)) return [];
      const { id, run_id: runId, segment, target, payload, attempts, due_at: dueAt, hash } = found.row;
      const notice = { id, runId, segment, target, payload: codec.decode(payload), attempts, dueAt };
      return [{ ...notice, ...(hash !== null && { headHash: hash }) }];
    });
}

const scheduleColumns = { attempts: integer('attempts'), dueAt: integer('due_at') };

export function settleNotice({ connection }: Context, { id, retryAt }: InputOf<'settleNotice'>): undefined {
  const notice = connection.select(scheduleColumns, 'FROM outbox WHERE id = ?').get(id);
  const schedule = notice && settleSchedule(notice, retryAt ?? undefined);
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
