import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { Clock } from '../port/clock.js';
import type { AbortSignalLike, Engine } from '../port/engine.js';
import type { Envelope } from '../port/envelope.js';
import { isReady } from '../rules/waking.js';
import { damagedError } from './damaged-error.js';
import { toEnvelope } from './entry-row.js';
import type { RunStatus } from './operations.js';
import type { Watch } from './watch.js';

/** The part of the engine that waits for what happens to runs. */
export function waitsOf(watch: Watch, clock: Clock): Pick<Engine, 'waitForEnding' | 'waitUntilReady'> {
  return {
    waitForEnding: (runId: string, segment: number, signal?: AbortSignalLike): Promise<Envelope> =>
      watch.until(
        runId,
        (status) => {
          if (status === undefined) throw new FullstopError('RUN_NOT_FOUND', `There is no run ${runId}.`);
          if (status.damage !== null) throw damagedError(status.damage);
          return status.ending !== null && status.segment >= segment ? toEnvelope(status.ending) : undefined;
        },
        signal,
      ),
    waitUntilReady: async (runId: string): Promise<void> => {
      let stopAlarm: () => void = () => undefined;
      const ready = (status: RunStatus | undefined): true | undefined => {
        stopAlarm();
        if (status === undefined) return true;
        const { state, wakeAt, ending } = status;
        const facts = { state, wakeAt: wakeAt ?? undefined, hasEnding: ending !== null, now: clock.now() };
        if (isReady(facts)) return true;
        if (wakeAt !== null) stopAlarm = clock.callAt(wakeAt, () => watch.changed(runId));
        return undefined;
      };
      await watch.until(runId, ready).finally(() => stopAlarm());
    },
  };
}
