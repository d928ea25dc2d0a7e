import type { OutboxItem, RunSession } from '../port/engine.js';
import type { EntryDraft } from '../port/journal-entry.js';
import { outboxItem } from './argument-readers.js';
import { type Door, inOrder, readAtDoor, refusalOf } from './door.js';
import { checkDraft } from './journal-reader.js';
import { listOf, Misfit, optional } from './reader.js';
import { callback, instant, name } from './readers.js';

const outbox = listOf(outboxItem);

/** What each method of a session may be given. */
const sessionDoor: Door<RunSession> = {
  append: ([draft]) => [readDraft(draft)],
  flush: inOrder<[]>(),
  conclude: ([draft, notices]) => [readEnding(draft), outbox.read(notices, 'outbox')],
  park: inOrder<[wakeAt: number | undefined]>(['wakeAt', optional(instant)]),
  listen: inOrder<Parameters<RunSession['listen']>>(['listener', callback]),
  expire: inOrder<[requestId: string]>(['requestId', name]),
  hold: inOrder<[]>(),
  onFenced: inOrder<Parameters<RunSession['onFenced']>>(['listener', callback]),
};

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

/** The session as its owner gets it. Entries are not copied: every step writes one, and only we make them. */
export function guardSession(session: RunSession): RunSession {
  const { identity, segment, input, options, recoveries, history } = session;
  const { expire, hold, lostOwners } = session;
  return {
    identity,
    segment,
    input,
    options,
    recoveries,
    ...(lostOwners !== undefined && { lostOwners }),
    history,
    append: (draft) => {
      try {
        readDraft(draft);
      } catch (error) {
        throw refusalOf('append', error);
      }
      session.append(draft);
    },
    flush: () => session.flush(),
    conclude: async (...given: [EntryDraft<'segment_ended'>, readonly OutboxItem[]]) =>
      session.conclude(...readAtDoor('conclude', () => sessionDoor.conclude(given))),
    park: async (wakeAt) => session.park(...readAtDoor('park', () => sessionDoor.park([wakeAt]))),
    listen: (listener) => session.listen(...readAtDoor('listen', () => sessionDoor.listen([listener]))),
    ...(expire !== undefined && {
      expire: async (requestId: string) =>
        expire.call(session, ...readAtDoor('expire', () => sessionDoor.expire([requestId]))),
    }),
    ...(hold !== undefined && { hold: () => hold.call(session) }),
    onFenced: (listener) => session.onFenced(...readAtDoor('onFenced', () => sessionDoor.onFenced([listener]))),
  };
}
