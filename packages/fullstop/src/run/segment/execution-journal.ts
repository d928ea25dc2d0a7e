import { appendOwn } from '../../engines/door/session-door.js';
import type { Clock } from '../../engines/port/clock.js';
import type { RunSession } from '../../engines/port/engine.js';
import type { EntryDraft, EntryType, JournalEntry } from '../../engines/port/journal-entry.js';
import type { ActiveTime } from '../accounts/active-time.js';
import { resumedKey } from '../accounts/active-timeline.js';
import { Replay, type Slot } from '../replay/replay.js';
import type { RunSettings } from '../settings.js';
import { Announcements } from './announcements.js';
import { type Mismatch, replayMismatch, secretInKey } from './engine-failures.js';
import type { ExecutionState } from './execution-state.js';

export interface ExecutionJournalOptions {
  readonly session: RunSession;
  readonly clock: Clock;
  readonly settings: RunSettings;
  readonly history: readonly JournalEntry[];
  readonly active: ActiveTime;
  readonly state: ExecutionState;
}

/** The journal of a run, as one execution reads and writes it. */
export class ExecutionJournal {
  /** The entries that were there before this execution. */
  readonly history: readonly JournalEntry[];
  readonly replay: Replay;
  readonly segment: number;
  /** Entries that observers are notified of once they are durable. */
  readonly announcements: Announcements;
  /** The place of the entry that was appended last; within a segment its owner is the only writer. */
  lastSeq: number;
  /** The time of the entry that was appended last, or of a later one. */
  lastAt: number;
  readonly #options: ExecutionJournalOptions;

  constructor(options: ExecutionJournalOptions) {
    const { history, session, settings } = options;
    this.#options = options;
    this.history = history;
    this.segment = session.segment;
    this.replay = new Replay(history);
    this.announcements = new Announcements(settings.observers);
    this.lastSeq = history.at(-1)?.seq ?? 0;
    this.lastAt = history.at(-1)?.at ?? 0;
  }

  /** Now, but never before an entry that was written. */
  now(): number {
    return Math.max(this.#options.clock.now(), this.lastAt);
  }

  /** Appends an entry. Times never go backwards within a run, except for entries that are dated at an instant of their own. */
  append<TType extends EntryType>(draft: Omit<EntryDraft<TType>, 'at'> & { readonly at?: number }): number {
    const { active, session, settings, state } = this.#options;
    const unsaid = active.mustSay ? active.takeUnsaid(this.lastAt) : undefined;
    if (unsaid !== undefined)
      this.append<'observed'>({ type: 'observed', scope: '', ordinal: -1, key: resumedKey, ...unsaid });
    const at = draft.at ?? this.now();
    this.lastAt = Math.max(at, this.lastAt);
    this.lastSeq += 1;
    const { type, scope, ordinal, key, data } = draft;
    // A draft that is complete is kept as it is: a copy of each entry would be a good part of what writing it costs.
    const isComplete = draft.at !== undefined && settings.secrets === undefined;
    const entry = (isComplete ? draft : { type, scope, ordinal, key, at, data: this.seal(data) }) as EntryDraft;
    try {
      appendOwn(session, entry);
    } catch (error) {
      state.fail(error);
    }
    if (settings.observers.length > 0) this.announcements.add(entry);
    return at;
  }

  /** Removes the values of secrets from something that the journal and the body are to hold. */
  seal<T>(value: T): T {
    const { secrets } = this.#options.settings;
    return secrets === undefined ? value : secrets.seal(value);
  }

  /** Makes what was appended durable, at once where the engine can. False when the store failed: then the run ends. */
  commit(): Promise<boolean> | boolean {
    const { session, settings, state } = this.#options;
    try {
      const flushing = session.flush();
      if (flushing !== undefined) return this.#committed(flushing);
    } catch (error) {
      state.fail(error);
    }
    if (settings.observers.length > 0 && !state.closed) this.announcements.notify();
    return !state.closed;
  }

  async #committed(flushing: Promise<void>): Promise<boolean> {
    const entries = this.announcements.take();
    try {
      await flushing;
    } catch (error) {
      this.announcements.putBack(entries);
      this.#options.state.fail(error);
      return false;
    }
    this.announcements.notify(entries);
    return !this.#options.state.closed;
  }

  /** The entries of an operation. A different key under the same ordinal parks the run: the code has changed. */
  slot(scope: string, ordinal: number, key: string): Slot | undefined {
    const slot = this.replay.slot(scope, ordinal);
    const { settings, state } = this.#options;
    // Replay finds entries by their keys, so these cannot be sealed.
    if (settings.secrets !== undefined && this.seal(key) !== key)
      state.settle({ type: 'ended', result: secretInKey(settings.secrets.mask(key)) });
    if (slot !== undefined && slot.key !== key) this.mismatch({ scope, ordinal, found: slot.key ?? '', asked: key });
    return slot;
  }

  /** Parks the run, because the body does not ask for what the journal holds. */
  mismatch(mismatch: Mismatch): void {
    this.#options.state.settle({ type: 'ended', result: replayMismatch(mismatch) });
  }
}
