import type { Clock } from '../engines/port/clock.js';
import { FencedError, type Session } from '../engines/port/engine.js';
import type { EntryDraft } from '../engines/port/journal-entry.js';
import { originOf } from './openings.js';
import type { SegmentObserver, Telemetry } from './telemetry.js';

/** The same session, which tells telemetry of entries once they are durable, and of every way in which it comes to its end. */
export function observedSession(session: Session, telemetry: Telemetry, clock: Clock): Session {
  const { identity, segment, history } = session;
  const { runId, name } = identity;
  const startedAt = clock.now();
  let observer: SegmentObserver | undefined;
  telemetry.later(() => {
    const origin = originOf(history, segment, telemetry.lastSegment(runId));
    observer = telemetry.observe({ runId, name, segment, history, startedAt, ...origin });
  });
  const follower = { entry: (entry: EntryDraft): void => observer?.entry(entry) };
  let pending: EntryDraft[] = [];
  const tell = (entries: readonly EntryDraft[]): void => {
    for (const entry of entries) telemetry.tell(follower, entry);
  };
  const taken = (): readonly EntryDraft[] => {
    const entries = pending;
    pending = [];
    return entries;
  };
  const leave = (reason: string): void => {
    const at = clock.now();
    telemetry.later(() => observer?.close(at, reason));
  };
  session.onFenced(() => leave('fenced'));

  return {
    identity,
    segment,
    history,
    input: session.input,
    options: session.options,
    recoveries: session.recoveries,
    append(draft) {
      session.append(draft);
      pending.push(draft);
    },
    flush() {
      const flushing = session.flush();
      if (flushing === undefined) {
        tell(pending);
        pending.length = 0;
        return undefined;
      }
      const entries = taken();
      return flushing.then(() => tell(entries));
    },
    async conclude(draft, outbox) {
      try {
        const concluded = await session.conclude(draft, outbox);
        tell([...taken(), draft]);
        return concluded;
      } catch (error) {
        leave(error instanceof FencedError ? 'fenced' : 'not_persisted');
        throw error;
      }
    },
    async park(wakeAt) {
      await session.park(wakeAt);
      tell(taken());
      leave('parked');
    },
    listen: (listener) => session.listen(listener),
    ...(session.expire !== undefined && { expire: session.expire.bind(session) }),
    onFenced: (listener) => session.onFenced(listener),
  };
}
