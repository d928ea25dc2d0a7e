import type { LostOwner, RunSession } from '../../engines/port/engine.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { Termination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';

/** The termination of a run that loses its owners one after the other: what is known of how, and where it stood. */
export function crashLoop({ recoveries, lostOwners = [], history }: CrashedSession): Termination<'failed'> {
  const silent = lostOwners.filter(({ how }) => how === 'silent').length;
  const [name, code] =
    silent === recoveries ? ['OwnerUnresponsive', 'OWNER_UNRESPONSIVE'] : ['CrashLoop', 'CRASH_LOOP'];
  const message = [lossesText(recoveries, silent), lastOwnerText(lostOwners.at(-1)), lastEntryText(history.at(-1))];
  return terminations.failed({
    error: { name, message: message.filter((part) => part !== '').join(' '), code },
    origin: 'engine',
    errorClass: 'internal',
  });
}

type CrashedSession = Pick<RunSession, 'history' | 'lostOwners' | 'recoveries'>;

function lossesText(recoveries: number, silent: number): string {
  if (silent === 0)
    return `The process died ${recoveries} times in a row while it executed this run, without writing an entry.`;
  const lost = `This run lost its process ${recoveries} times in a row, without writing an entry`;
  const advice = 'A step that never yields, such as an endless loop, does that: run it isolated.';
  if (silent === recoveries)
    return `${lost}: each was alive but showed no sign of life for the time of its lease. ${advice}`;
  return `${lost}: ${silent} times it was alive but showed no sign of life for the time of its lease, otherwise it died. ${advice}`;
}

function lastOwnerText(lost: LostOwner | undefined): string {
  if (lost?.how !== 'silent' || lost.lastSeenAt === undefined) return '';
  return `The last one, process ${lost.process}, was last seen at ${instantText(lost.lastSeenAt)}.`;
}

function lastEntryText(entry: JournalEntry | undefined): string {
  if (entry === undefined) return '';
  const key = entry.key === undefined ? '' : ` ${JSON.stringify(entry.key)}`;
  return `The last entry, number ${entry.seq}, is ${entry.type}${key} of ${instantText(entry.at)}.`;
}

function instantText(at: number): string {
  return new Date(at).toISOString();
}
