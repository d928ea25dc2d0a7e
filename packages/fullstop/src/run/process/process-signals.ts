import { type Clock, systemClock } from '../../engines/port/clock.js';
import type { EngineWorker } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { host, type ProcessLike } from '../../engines/port/host.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { checkMilliseconds } from '../check-run-options.js';
import { type ActiveRun, activeRuns, onListed } from './active-runs.js';

/** A signal that asks a process to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Options of `handleSignals`: what becomes of runs when the process is told to stop. */
export interface SignalOptions {
  /** Running segments end as `cancelled`, or are left to other processes. In memory there are no others. */
  readonly policy: 'cancel' | 'park';
  /** How long they may take; 10,000 unless given. */
  readonly graceMs?: number;
  /** How long they may continue to an ending of their own before that; not at all unless given. */
  readonly finishMs?: number;
  /** Takes no new runs from the first signal on. */
  readonly worker?: Pick<EngineWorker, 'stop'>;
  /** Which runs to stop; all that this process executes unless given. */
  readonly runs?: () => readonly ActiveRun[];
  /** Called by SIGINT when a signal came before; ends the process with status 130 unless given. */
  readonly exit?: () => void;
  readonly clock?: Clock;
  /** Replaces the global `process`. */
  readonly process?: ProcessLike;
}

/** The consequences of the first signal. */
export interface SignalReport {
  readonly signal: StopSignal;
  /** The endings of the segments that reached one. */
  readonly ended: readonly Envelope[];
  /** The runs that were left to others. */
  readonly parked: readonly string[];
  /** The runs that could not be stopped in time; they are found when their owner counts as gone. */
  readonly unfinished: readonly string[];
}

/** The handling of signals by this process, which can be waited for and removed. */
export interface SignalHandling {
  /** Settles when everything has stopped after a signal. To exit then, and how, is the caller's business. */
  readonly stopped: Promise<SignalReport>;
  /** Returns signals to whoever had them. */
  dispose(): void;
}

const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Segments that are left after the grace period have this long to be written. */
const lastMomentMs = 2000;

/** Makes SIGINT, SIGTERM and SIGHUP stop runs in good order, and a further SIGINT exit immediately. */
export function handleSignals(options: SignalOptions): SignalHandling {
  const { graceMs, finishMs } = options;
  if (graceMs !== undefined) checkMilliseconds(graceMs, 'handleSignals', 'graceMs');
  if (finishMs !== undefined) checkMilliseconds(finishMs, 'handleSignals', 'finishMs');
  const process = options.process ?? host.process;
  if (process === undefined)
    throw new FullstopError('INVALID_OPTION', 'Signals can be handled only in a process, and there is none here.');
  let finish: (report: Promise<SignalReport>) => void = () => undefined;
  const stopped = new Promise<SignalReport>((resolve) => {
    finish = resolve;
  });
  let first: StopSignal | undefined;
  let stopListening: () => void = () => undefined;
  let isDisposed = false;
  const listeners = signals.map((signal) => {
    const listener = (): void => {
      if (first === undefined) {
        first = signal;
        finish(
          stopEverything(signal, options, () => {
            // Whatever is about to be started is stopped as well, for as long as signals are handled here.
            if (options.runs === undefined && !isDisposed)
              stopListening = onListed((run) => stop(run, signal, options.policy));
          }),
        );
      } else if (signal === 'SIGINT') {
        if (options.exit === undefined) process.exit(130);
        else options.exit();
      }
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    stopped,
    dispose() {
      isDisposed = true;
      stopListening();
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

async function stopEverything(
  signal: StopSignal,
  options: SignalOptions,
  onStopping: () => void,
): Promise<SignalReport> {
  const { policy, graceMs = 10_000, finishMs = 0, clock = systemClock, worker, runs = activeRuns } = options;
  const workerStopped = worker?.stop(finishMs + graceMs).catch(() => undefined);
  const stopping = new Map<ActiveRun, Promise<unknown>>();
  const over = new Map<ActiveRun, Envelope | undefined>();
  if (finishMs > 0) await letFinish(runs, over, timer(clock, finishMs));
  onStopping();
  const listUnseen = (): readonly ActiveRun[] => runs().filter((run) => !stopping.has(run));
  const grace = timer(clock, graceMs);
  // Runs may start others while they unwind, so the list is looked at until nothing new is in it.
  for (let found = listUnseen(); found.length > 0 && !grace.over; found = listUnseen()) {
    for (const run of found) {
      stop(run, signal, policy);
      stopping.set(
        run,
        run.over.then((envelope) => over.set(run, envelope)),
      );
    }
    await Promise.race([Promise.all(stopping.values()), grace.promise]);
  }
  grace.stop();
  const late = [...stopping.keys()].filter((run) => !over.has(run));
  for (const run of [...late, ...listUnseen()]) stopNow(run, signal, policy);
  const lastMoment = timer(clock, lastMomentMs);
  await Promise.race([Promise.all([...stopping.values(), workerStopped]), lastMoment.promise]);
  lastMoment.stop();
  // A run that slept is listed twice: asleep, and awake for its ending.
  const ended = new Map([...over.values()].flatMap((each) => (each === undefined ? [] : [[each.runId, each]])));
  return {
    signal,
    ended: [...ended.values()],
    parked: [...new Set([...over].flatMap(([{ runId }, envelope]) => (envelope === undefined ? [runId] : [])))].filter(
      (runId) => !ended.has(runId),
    ),
    unfinished: [...new Set([...stopping.keys()].flatMap((run) => (over.has(run) ? [] : [run.runId])))],
  };
}

/** Waits for runs that reach an ending by themselves, until the time is over. */
async function letFinish(
  runs: () => readonly ActiveRun[],
  over: Map<ActiveRun, Envelope | undefined>,
  time: ReturnType<typeof timer>,
): Promise<void> {
  const listLeft = (): readonly ActiveRun[] => runs().filter((run) => !over.has(run));
  for (let left = listLeft(); left.length > 0 && !time.over; left = listLeft()) {
    const finished = left.map((run) => run.over.then((envelope) => over.set(run, envelope)));
    await Promise.race([Promise.all(finished), time.promise]);
  }
  time.stop();
}

function stop(run: ActiveRun, signal: StopSignal, policy: SignalOptions['policy']): void {
  if (canPark(run, policy)) run.release(signal);
  else run.cancel({ by: 'signal', reason: signal });
}

function stopNow(run: ActiveRun, signal: StopSignal, policy: SignalOptions['policy']): void {
  if (canPark(run, policy)) run.release(signal, { now: true });
  else run.cancel({ by: 'signal', reason: signal, hard: true });
}

/** A run in memory goes with its process: nobody else could resume it. */
function canPark({ engine }: ActiveRun, policy: SignalOptions['policy']): boolean {
  return policy === 'park' && engine.durable;
}

function timer(
  clock: Clock,
  milliseconds: number,
): { readonly promise: Promise<void>; readonly over: boolean; stop(): void } {
  let over = false;
  let stopTimer: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    stopTimer = clock.callAt(clock.now() + milliseconds, () => {
      over = true;
      resolve();
    });
  });
  return {
    promise,
    get over() {
      return over;
    },
    stop: () => stopTimer(),
  };
}
