import { AsyncLocalStorage } from 'node:async_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Clock } from '../../../packages/fullstop/src/engines/port/clock.js';
import { chaosRuns } from '../bodies.js';
import { EffectLog, type Mark } from '../effect-log.js';
import { sayAtWork } from '../workers.js';
import { type ServerEngineName, serverEngines } from './server-engines.js';

// A process that executes runs on a server until it is killed, frozen, cut off or drained. Its clock is wrong by some seconds.

const [name = '', url = '', logFile = '', leaseMs = '', skewMs = '', version = ''] = process.argv.slice(2);
/** Which execution of a run is under way: a process may lose a run and claim it again while the effects of before continue. */
const execution = new AsyncLocalStorage<string>();
let executions = 0;
const log = new (class extends EffectLog {
  #isAtWork = false;

  override effect(place: string): Mark {
    // First of all: whatever stands between the check that the run is ours and this line can be frozen there.
    const mark = super.effect(place, execution.getStore());
    if (!this.#isAtWork) sayAtWork();
    this.#isAtWork = true;
    return mark;
  }
})(logFile);

function skewedClock(skew: number): Clock {
  return {
    now: () => Date.now() + skew,
    monotonic: () => performance.now(),
    callAt: (instant, callback) => {
      const timer = setTimeout(callback, Math.min(Math.max(0, instant - skew - Date.now()), 2 ** 31 - 1));
      return () => clearTimeout(timer);
    },
  };
}

const engine = serverEngines[name as ServerEngineName]({
  url,
  leaseMs: Number(leaseMs),
  pollMs: 100,
  clock: skewedClock(Number(skewMs)),
});
const definitions = chaosRuns(log, version).map((definition) => ({
  ...definition,
  execute: (...given: Parameters<typeof definition.execute>): Promise<void> => {
    const [session] = given;
    const { runId } = session.identity;
    executions += 1;
    const by = `${process.pid}-${executions}`;
    log.write({ type: 'executed', runId, version, by, entries: session.history.length });
    session.onFenced(() => log.write({ type: 'fenced', runId }));
    return execution.run(by, () => definition.execute(...given));
  },
}));
const worker = engine.worker(definitions, { concurrency: 8 });
process.once('SIGTERM', async () => {
  // Long enough for most steps, and too short for some: those are left to others in the middle.
  await worker.stop(Math.random() * 20);
  await engine.close();
  process.exit(0);
});
