import type { OutboxItem } from '../port/engine.js';

type Schedule = Pick<OutboxItem, 'attempts' | 'dueAt'>;

/** The notices that are due, oldest first. Engines that select them by an index keep this order. */
export function selectDueNotices(items: readonly OutboxItem[], now: number, limit: number): readonly OutboxItem[] {
  return items
    .filter(({ dueAt }) => dueAt <= now)
    .sort((left, right) => left.dueAt - right.dueAt || (left.id < right.id ? -1 : 1))
    .slice(0, limit);
}

/** A notice that was tried: delivered and gone, or to be tried again. */
export function settleSchedule({ attempts }: Schedule, retryAt: number | undefined): Schedule | undefined {
  return retryAt === undefined ? undefined : { attempts: attempts + 1, dueAt: retryAt };
}
