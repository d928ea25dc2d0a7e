import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { LostOwner, OutboxItem, RunIdentity, RunSession, WholeSession } from '../port/engine.js';
import type { EntryDraft, JournalEntry } from '../port/journal-entry.js';
import { outboxItem } from './argument-readers.js';
import { readAtDoor, refusalOf } from './door.js';
import { checkDraft } from './journal-reader.js';
import { listOf, Misfit } from './reader.js';
import { callback, instant, name } from './readers.js';

const outbox = listOf(outboxItem);
const nothing: readonly OutboxItem[] = [];

function readDraft(draft: unknown): EntryDraft {
  if (typeof draft !== 'object' || draft === null) throw new Misfit('draft', draft, 'an entry without its place');
  checkDraft(draft as EntryDraft);
  return draft as EntryDraft;
}

function readEnding(draft: unknown): EntryDraft<'segment_ended'> {
  const read = readDraft(draft);
  if (read.type !== 'segment_ended') throw new Misfit('type', read.type, '"segment_ended"');
  return read;
}

function readOutbox(given: unknown): readonly OutboxItem[] {
  return Array.isArray(given) && given.length === 0 ? nothing : outbox.read(given, 'outbox');
}

/**
 * The session as its owner gets it: what a method is given is read before the session sees it. Entries are not copied: every
 * step writes one, and only we make them. A class, because every run makes one and few of its methods are called.
 */
class GuardedSession implements WholeSession {
  readonly identity: RunIdentity;
  readonly segment: number;
  readonly input: JsonValue | undefined;
  readonly options: JsonObject | undefined;
  readonly recoveries: number;
  readonly history: readonly JournalEntry[];
  readonly lostOwners: readonly LostOwner[] | undefined;
  readonly #session: RunSession;

  constructor(session: RunSession) {
    this.identity = session.identity;
    this.segment = session.segment;
    this.input = session.input;
    this.options = session.options;
    this.recoveries = session.recoveries;
    this.history = session.history;
    this.lostOwners = session.lostOwners;
    this.#session = session;
  }

  /**
   * Appends an entry that the room of runs made and has checked. Its own steps and observations need no second look; a session that is
   * not guarded here, or that somebody has wrapped, gets the entry as any other.
   */
  static appendOwn(session: RunSession, draft: EntryDraft): void {
    const isPlain = draft.type === 'step_ended' || draft.type === 'observed';
    if (isPlain && Number.isFinite(draft.at) && #session in session) session.#session.append(draft);
    else session.append(draft);
  }

  append(draft: EntryDraft): void {
    try {
      readDraft(draft);
    } catch (error) {
      throw refusalOf('append', error);
    }
    this.#session.append(draft);
  }

  flush(): Promise<void> | undefined {
    return this.#session.flush();
  }

  async conclude(
    draft: EntryDraft<'segment_ended'>,
    notices: readonly OutboxItem[],
  ): Promise<{ readonly headHash?: string }> {
    let ending: EntryDraft<'segment_ended'>;
    let items: readonly OutboxItem[];
    try {
      ending = readEnding(draft);
      items = readOutbox(notices);
    } catch (error) {
      throw refusalOf('conclude', error);
    }
    return this.#session.conclude(ending, items);
  }

  async park(wakeAt: number | undefined): Promise<void> {
    if (wakeAt !== undefined) readAtDoor('park', () => instant.read(wakeAt, 'wakeAt'));
    return this.#session.park(wakeAt);
  }

  listen(listener: Parameters<RunSession['listen']>[0]): () => void {
    if (typeof listener !== 'function') readAtDoor('listen', () => callback.read(listener, 'listener'));
    return this.#session.listen(listener);
  }

  /** Absent where the engine has none; made only when it is needed. */
  get expire(): RunSession['expire'] {
    const session = this.#session;
    const { expire } = session;
    if (expire === undefined) return undefined;
    return async (requestId) =>
      expire.call(
        session,
        readAtDoor('expire', () => name.read(requestId, 'requestId')),
      );
  }

  hold(): Promise<void> | undefined {
    return this.#session.hold?.();
  }

  stepAside(): boolean {
    return this.#session.stepAside?.() === true;
  }

  onFenced(listener: () => void): () => void {
    if (typeof listener !== 'function') readAtDoor('onFenced', () => callback.read(listener, 'listener'));
    return this.#session.onFenced(listener);
  }
}

/** Appends an entry that the room of runs made itself. */
export const appendOwn: (session: RunSession, draft: EntryDraft) => void = GuardedSession.appendOwn;

/** Guards a session. */
export function guardSession(session: RunSession): RunSession {
  return new GuardedSession(session);
}
