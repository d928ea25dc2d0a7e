import { exitCodeOfSignal, exitCodes } from './exit-code.js';

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const signals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** How long output and notices of a run that has ended may take after a signal. */
const lastMomentMs = 2000;

/** The effect of a signal at the moment. */
let mode: /** Nothing was started: the program ends at once, as if it had no handler. */
  | { readonly type: 'exit' }
  /** Whoever executes something stops it in good order. */
  | { readonly type: 'handled' }
  /** The run has its ending, and the exit code says which: what is left to say is said first. */
  | { readonly type: 'finishing'; readonly code: number; timer?: NodeJS.Timeout } = { type: 'exit' };

/** Has every signal from now on, so that none ends the program in a way that its exit code does not tell. */
export function guardSignals(): void {
  for (const signal of signals) process.on(signal, () => react(signal));
}

function react(signal: StopSignal): void {
  if (mode.type === 'exit') process.exit(exitCodeOfSignal(signal) ?? exitCodes.fatal);
  if (mode.type === 'finishing') finishSoon(signal, mode);
}

/** A second Ctrl-C does not wait; otherwise a reader that has stopped reading is not waited for without end. */
function finishSoon(signal: StopSignal, finishing: Extract<typeof mode, { readonly type: 'finishing' }>): void {
  const { code, timer } = finishing;
  if (timer !== undefined && signal === 'SIGINT') process.exit(code);
  finishing.timer ??= setTimeout(() => process.exit(code), lastMomentMs).unref();
}

/** From now on someone else reacts to signals. */
export function leaveSignals(): void {
  mode = { type: 'handled' };
}

/** From now on the exit code is certain, and a signal changes nothing about it; without one nothing was started. */
export function finishWith(code: number | undefined): void {
  mode = code === undefined ? { type: 'exit' } : { type: 'finishing', code };
}
