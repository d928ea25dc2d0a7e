import type { JournalEntry } from '../engines/port/journal-entry.js';
import type { Member } from './batch.js';
import type { Effect, Observation } from './machine.js';
import { Stopping } from './stopping.js';
import type { UnitContext } from './unit-context.js';

/** One effect under way. */
export class Task implements Member {
  readonly key: string;
  readonly stopping: Stopping = new Stopping();
  /** The unit that it is, once its body was called. */
  inner: UnitContext | undefined;
  /** True while someone is asked what became of a step whose outcome was lost. */
  confirming = false;
  /** Where in the journal it came to its end. */
  seq = 0;
  readonly #type: Effect<unknown>['type'];
  readonly #onObserved: () => void;
  #begun = false;
  #observation: Observation | undefined;

  constructor(effect: Effect<unknown>, onObserved: () => void) {
    this.key = effect.key;
    this.#type = effect.type;
    this.#onObserved = onObserved;
  }

  get isRequest(): boolean {
    return this.#type === 'request';
  }

  get observation(): Observation | undefined {
    return this.#observation;
  }

  /** True when only a person can bring it further. */
  get waits(): boolean {
    if (this.#observation !== undefined) return false;
    return this.isRequest || this.confirming || this.inner?.waits === true;
  }

  get stays(): boolean {
    const hasEnded = this.#observation !== undefined || this.seq > 0;
    return hasEnded || this.isRequest || this.#type === 'record' || this.confirming;
  }

  set begun(begun: boolean) {
    this.#begun = begun;
  }

  get begun(): boolean {
    return this.#begun || this.inner?.hasEntries === true;
  }

  observe(observation: Observation, seq: number = this.seq): void {
    if (this.#observation !== undefined) return;
    this.seq = seq;
    this.#observation = observation;
    this.#onObserved();
  }

  stop(stop: JournalEntry<'batch_stopped'>): void {
    const { begun, key } = this;
    this.stopping.dropped = !begun;
    this.stopping.stop();
    if (!begun) this.observe({ type: 'not_started', key, at: stop.at }, stop.seq);
    this.inner?.stop(stop.data.cause);
  }
}
