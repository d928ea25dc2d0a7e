import type { Engine } from '../../engines/port/engine.js';
import type { SimulatedClock } from '../simulated-clock.js';

/** The parts that a test runner provides for one case. */
export interface ConformanceHarness {
  /** The clock of every engine that the harness opens. */
  readonly clock: SimulatedClock;
  /** Whether bodies are dropped and replayed after every step. */
  readonly alwaysReplay: boolean;
  /** How many runs make a crowd; 1,000 unless given. For stores where a simulated clock waits for a network. */
  readonly crowd?: number;
  /** The engine under test. A further call opens the same store again: a new instance, where stores outlive one. */
  open(): Promise<Engine>;
  /** An engine on an empty store of its own. */
  openEmpty(): Promise<Engine>;
}

/** `durable`: runs outlive the instance that started them. `processes`: several instances use one store at a time. */
export type ConformanceNeed = 'durable' | 'processes';

/** Something that every engine must do, or every engine that has what it needs. */
export interface ConformanceCase {
  readonly name: string;
  readonly needs?: readonly ConformanceNeed[];
  /** Throws a `ConformanceFailure` if the engine does not do it. */
  run(harness: ConformanceHarness): Promise<void>;
}
