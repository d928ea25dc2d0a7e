import { host } from '../../engines/port/host.js';
import type { Ending } from '../../termination/ending.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { ForeignCause, ForeignContinuation, ForeignStep } from './foreign-event.js';
import type { ForeignOutcome, ForeignStart, Framework } from './framework.js';

/** Something that was heard of a call: a step that waits for its verdict, or the outcome. */
export type Heard<TResult> =
  | { readonly type: 'step'; readonly step: ForeignStep; readonly causes: readonly ForeignCause[] }
  | { readonly type: 'outcome'; readonly outcome: ForeignOutcome<TResult> };

interface HeardStep {
  readonly heard: Extract<Heard<unknown>, { type: 'step' }>;
  readonly decide: (stop: boolean) => void;
}

/** A call of a framework under way: what it does is heard turn by turn, and each of its steps waits until it was weighed. */
export class LiveCall<TResult> {
  readonly #controller = new host.AbortController();
  readonly #steps: HeardStep[] = [];
  #outcome: ForeignOutcome<TResult> | undefined;
  #undecided: ((stop: boolean) => void) | undefined;
  #isStopped = false;
  #wake: ((heard: Heard<TResult> | undefined) => void) | undefined;

  /** Begins the call. */
  begin(
    framework: Framework<TResult>,
    continuation: ForeignContinuation | undefined,
    handOver: (result: TResult) => void,
  ): void {
    const start: ForeignStart<TResult> = {
      signal: this.#controller.signal,
      continuation,
      handOver,
      isStopped: () => this.#isStopped,
      step: (step, causes = []) => this.#report(step, causes),
    };
    void this.#call(framework, start);
  }

  /** The step under way may continue. */
  proceed(): void {
    this.#decide(false);
  }

  /** The call is to end: at the step that waits for a verdict, or else by its signal. */
  stop(reason: unknown): void {
    this.#isStopped = true;
    if (this.#undecided === undefined) this.#controller.abort(reason);
    else this.#decide(true);
  }

  /** Ends the call by its signal, wherever it is. */
  abort(reason: unknown): void {
    this.#isStopped = true;
    this.#controller.abort(reason);
    this.#decide(true);
  }

  /** The next thing that is heard; undefined when the wait was given up before. */
  next(): Promise<Heard<TResult> | undefined> {
    const heard = this.#take();
    if (heard !== undefined) return Promise.resolve(heard);
    return new Promise((wake) => {
      this.#wake = wake;
    });
  }

  /** Whoever waits for something to be heard waits no longer; nobody is kept from waiting again. */
  giveUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.(undefined);
  }

  #take(): Heard<TResult> | undefined {
    const next = this.#steps.shift();
    if (next !== undefined) {
      this.#undecided = next.decide;
      return next.heard;
    }
    return this.#outcome && { type: 'outcome', outcome: this.#outcome };
  }

  async #call(framework: Framework<TResult>, start: ForeignStart<TResult>): Promise<void> {
    try {
      this.#outcome = await framework.call(start);
    } catch (error) {
      // The adapter itself is at fault: frameworks' errors are outcomes.
      const termination = { kind: 'failed', error: toErrorData(error), origin: 'loop', errorClass: 'internal' };
      const cause = { slot: 'step_error', termination: termination as unknown as Ending } as const;
      this.#outcome = { type: 'settled', causes: [cause], thrown: { error } };
    }
    this.#hear();
  }

  #report(step: ForeignStep, causes: readonly ForeignCause[]): Promise<boolean> {
    if (this.#isStopped) return Promise.resolve(true);
    return new Promise((decide) => {
      this.#steps.push({ heard: { type: 'step', step, causes }, decide });
      this.#hear();
    });
  }

  #hear(): void {
    const wake = this.#wake;
    if (wake === undefined) return;
    this.#wake = undefined;
    wake(this.#take());
  }

  #decide(stop: boolean): void {
    const decide = this.#undecided;
    this.#undecided = undefined;
    decide?.(stop);
    if (!stop) return;
    for (const waiting of this.#steps) waiting.decide(true);
  }
}
