import type { Clock } from '../engines/port/clock.js';
import { FencedError, type RunSession, type WholeSession } from '../engines/port/engine.js';
import type { EntryDraft } from '../engines/port/journal-entry.js';
import { originOf } from './openings.js';
import type { SegmentObserver, Telemetry } from './telemetry.js';

/** The same session, which notifies telemetry of entries once they are durable, and of its end, whichever way it ends. */
export function observedSession(session: RunSession, telemetry: Telemetry, clock: Clock): RunSession {
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
  const notify = (entries: readonly EntryDraft[]): void => {
    for (const entry of entries) telemetry.notify(follower, entry);
  };
  const takePending = (): readonly EntryDraft[] => {
    const entries = pending;
    pending = [];
    return entries;
  };
  const leave = (reason: string): void => {
    const at = clock.now();
    telemetry.later(() => observer?.close(at, reason));
  };
  session.onFenced(() => leave('fenced'));

  const observed: WholeSession = {
    identity,
    segment,
    history,
    input: session.input,
    options: session.options,
    recoveries: session.recoveries,
    lostOwners: session.lostOwners,
    append(draft) {
      session.append(draft);
      pending.push(draft);
    },
    flush() {
      const flushing = session.flush();
      if (flushing === undefined) {
        notify(pending);
        pending.length = 0;
        return undefined;
      }
      const entries = takePending();
      return flushing.then(() => notify(entries));
    },
    async conclude(draft, outbox) {
      try {
        const concluded = await session.conclude(draft, outbox);
        notify([...takePending(), draft]);
        return concluded;
      } catch (error) {
        leave(error instanceof FencedError ? 'fenced' : 'not_persisted');
        throw error;
      }
    },
    async park(wakeAt) {
      await session.park(wakeAt);
      notify(takePending());
      leave('parked');
    },
    listen: (listener) => session.listen(listener),
    expire: session.expire?.bind(session),
    hold: session.hold?.bind(session),
    stepAside: session.stepAside?.bind(session),
    onFenced: (listener) => session.onFenced(listener),
  };
  return observed;
}
