import type { NoticeLease, OutboxItem } from '../port/engine.js';

type Schedule = Pick<OutboxItem, 'attempts' | 'dueAt'>;

/** The notices that are due, oldest first. Engines that select them by an index keep this order. */
export function selectDueNotices(items: readonly OutboxItem[], now: number, limit: number): readonly OutboxItem[] {
  return items
    .filter(({ dueAt }) => dueAt <= now)
    .sort((left, right) => left.dueAt - right.dueAt || (left.id < right.id ? -1 : 1))
    .slice(0, limit);
}

/** The notices that a lease gets: of each target the oldest that are due, as many as it has slots for. */
export function selectLease(items: readonly OutboxItem[], now: number, lease: NoticeLease): readonly OutboxItem[] {
  return Object.entries(lease.slots).flatMap(([target, limit]) =>
    selectDueNotices(
      items.filter((item) => item.target === target),
      leaseDue(lease, now),
      limit,
    ),
  );
}

/** Until when a notice must have been due for a lease to get it. */
export function leaseDue({ dueBy = Number.POSITIVE_INFINITY }: NoticeLease, now: number): number {
  return Math.min(dueBy, now);
}

/** A lease is nothing but a later time: whoever has it settles the notice before, and if they died it is due again then. */
export function leaseUntil({ until }: NoticeLease, now: number): number {
  return Math.max(until, now + 1);
}

/**
 * A notice that was tried: undefined when it was delivered and is gone, otherwise when it is tried again. One whose lease
 * has passed to somebody else meanwhile is theirs to schedule.
 */
export function settleSchedule(
  schedule: Schedule,
  retryAt: number | undefined,
  leasedUntil?: number,
): Schedule | undefined {
  if (retryAt === undefined) return undefined;
  if (leasedUntil !== undefined && schedule.dueAt !== leasedUntil) return schedule;
  return { attempts: schedule.attempts + 1, dueAt: retryAt };
}
