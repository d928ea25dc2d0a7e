import type { Clock } from '../engines/port/clock.js';
import type { JournalEntry } from '../engines/port/journal-entry.js';

/** The key of the entry that says how much active time had passed when a run was taken up again. */
export const takenUp = 'taken_up';

interface Alarm {
  readonly activeMs: number;
  readonly callback: () => void;
  stop(): void;
}

/** The active time of a run: neither the times when its owner was gone nor those when everything waited for a person. */
export class ActiveTime {
  readonly #clock: Clock;
  readonly #alarms = new Set<Alarm>();
  #before: number;
  /** Undefined while everything waits for a person. */
  #since: number | undefined;
  #mustSay: boolean;

  constructor(clock: Clock, history: readonly JournalEntry[]) {
    this.#clock = clock;
    this.#since = clock.now();
    const last = history.at(-1);
    this.#mustSay = last !== undefined && last.type !== 'run_started' && last.type !== 'segment_opened';
    this.#before = this.#mustSay ? activeAt(history) + sleptSince(history, this.#since) : openingOf(history).activeMs;
  }

  ms(): number {
    return this.#before + (this.#since === undefined ? 0 : Math.max(0, this.#clock.now() - this.#since));
  }

  /** Everything waits for a person from now on. */
  pause(): void {
    if (this.#since === undefined) return;
    this.#before = this.ms();
    this.#since = undefined;
    for (const alarm of this.#alarms) alarm.stop();
  }

  goOn(): void {
    if (this.#since !== undefined) return;
    this.#since = this.#clock.now();
    this.#mustSay = true;
    for (const alarm of this.#alarms) this.#arm(alarm);
  }

  /** The active time, if the entries alone do not tell it; to be written in front of the next one. */
  takeUnsaid(): number | undefined {
    if (!this.#mustSay) return undefined;
    this.#mustSay = false;
    return this.ms();
  }

  /** Calls back when so much active time has passed. */
  callAt(activeMs: number, callback: () => void): () => void {
    const alarm: Alarm = { activeMs, callback, stop: () => undefined };
    this.#alarms.add(alarm);
    if (this.#since !== undefined) this.#arm(alarm);
    return () => {
      this.#alarms.delete(alarm);
      alarm.stop();
    };
  }

  /** When the first alarm will ring if nothing pauses until then. */
  get nextAlarm(): number | undefined {
    if (this.#alarms.size === 0) return undefined;
    return this.#clock.now() + Math.min(...[...this.#alarms].map((alarm) => alarm.activeMs)) - this.ms();
  }

  #arm(alarm: Alarm): void {
    alarm.stop = this.#clock.callAt(this.#clock.now() + Math.max(0, alarm.activeMs - this.ms()), () => {
      this.#alarms.delete(alarm);
      alarm.callback();
    });
  }
}

interface Anchor {
  readonly at: number;
  readonly activeMs: number;
}

/** The active time at the last of some entries, the first ones of a journal. */
export function activeAt(history: readonly JournalEntry[]): number {
  const { at, activeMs } = openingOf(history);
  return activeMs + Math.max(0, latestOf(history) - at);
}

/** Some entries are dated at an instant before they were written, so the last one is not always the latest. */
function latestOf(history: readonly JournalEntry[]): number {
  return history.reduce((latest, entry) => Math.max(latest, entry.at), 0);
}

/** The last entry from which on the times of entries count as active. */
function openingOf(history: readonly JournalEntry[]): Anchor {
  let anchor: Anchor = { at: history[0]?.at ?? 0, activeMs: 0 };
  for (const entry of history) {
    if (entry.type === 'segment_opened') anchor = { at: entry.at, activeMs: anchor.activeMs };
    else if (entry.type === 'segment_ended') anchor = { at: entry.at, activeMs: entry.data.envelope.durationMs };
    else if (entry.type === 'observed' && entry.key === takenUp)
      anchor = { at: entry.at, activeMs: Number(entry.data['activeMs']) };
  }
  return anchor;
}

/** A sleep goes on while nobody has the run, and counts. */
function sleptSince(history: readonly JournalEntry[], now: number): number {
  const sleeps = new Map<string, number>();
  for (const entry of history) {
    const place = `${entry.scope}:${entry.ordinal}`;
    if (entry.type === 'sleep_started') sleeps.set(place, entry.data.until);
    else if (entry.type === 'sleep_ended') sleeps.delete(place);
  }
  if (sleeps.size === 0) return 0;
  return Math.max(0, Math.min(now, ...sleeps.values()) - latestOf(history));
}
