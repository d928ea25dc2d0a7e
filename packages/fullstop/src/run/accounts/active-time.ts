import type { Clock } from '../../engines/port/clock.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import { operationId } from '../journal/operation-key.js';

import { ActiveTimeline, latestOf } from './active-timeline.js';

/** So long a wait for the first owner counts as work: an entry that says otherwise would double the journals of short runs. */
const briefMs = 1000;

interface Alarm {
  readonly activeMs: number;
  readonly callback: () => void;
  stop(): void;
}

/** The active time of a run: neither the times when its owner was gone nor those when everything waited for a person. */
export class ActiveTime {
  readonly timeline: ActiveTimeline;
  readonly #clock: Clock;
  readonly #alarms = new Set<Alarm>();
  #before: number;
  /** Undefined while everything waits for a person. */
  #since: number | undefined;
  /** True when the active time does not follow from the entries alone, and is to be written before the next one. */
  mustSay: boolean;

  constructor(clock: Clock, history: readonly JournalEntry[]) {
    const now = clock.now();
    const last = history.at(-1);
    const opensSegment = last === undefined || last.type === 'run_started' || last.type === 'segment_opened';
    this.#clock = clock;
    this.timeline = new ActiveTimeline(history);
    this.mustSay = last !== undefined && (!opensSegment || now - last.at > briefMs);
    this.#since = this.mustSay ? now : (last?.at ?? now);
    this.#before = this.timeline.at(latestOf(history)) + (opensSegment ? 0 : sleptSince(history, now));
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

  /** Something is under way again. */
  resume(): void {
    if (this.#since !== undefined) return;
    this.#since = this.#clock.now();
    this.mustSay = true;
    for (const alarm of this.#alarms) this.#arm(alarm);
  }

  /** The active time, where it must be said. */
  takeUnsaid(lastAt: number): { readonly at: number; readonly data: { readonly activeMs: number } } | undefined {
    if (!this.mustSay) return undefined;
    this.mustSay = false;
    const [at, activeMs] = [Math.max(this.#clock.now(), lastAt), this.ms()];
    this.timeline.anchor(at, activeMs);
    return { at, data: { activeMs } };
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

/** A sleep continues while nobody has the run, and counts. */
function sleptSince(history: readonly JournalEntry[], now: number): number {
  const sleeps = new Map<string, number>();
  for (const entry of history) {
    const place = operationId(entry);
    if (entry.type === 'sleep_started') sleeps.set(place, entry.data.until);
    else if (entry.type === 'sleep_ended') sleeps.delete(place);
  }
  if (sleeps.size === 0) return 0;
  return Math.max(0, Math.min(now, ...sleeps.values()) - latestOf(history));
}
