import type { JournalEntry, StepOutcome } from '../../engines/port/journal-entry.js';
import type { Charge } from '../../engines/port/usage.js';
import type { StepAttempt, StepOptions } from '../run-context.js';
import type { Permits } from './permits.js';
import type { Stopping } from './stopping.js';
import type { Unit } from './unit.js';

export type StepEffect = (attempt: StepAttempt) => unknown;

/** Told where in the journal an operation came to its end, and when; `drive` folds observations by that. */
export type Seen = (seq: number, at: number) => void;

/** What `drive` wants to know and to decide about a step. */
export interface StepWatch {
  /** Told where in the journal the outcome stands, from when it is, and what it is. */
  seen(seq: number, at: number, outcome: StepOutcome): void;
  /** Makes what the one who asked gets of an outcome; without it that is the value, and a failure is thrown. */
  settle?(key: string, outcome: StepOutcome): unknown;
  /** True when what the effect gives is known to be JSON. */
  readonly isJson?: boolean | undefined;
  /** Only so many steps and units of a batch at once. */
  readonly permits?: Permits | undefined;
  /** The batch that the step is stopped with. */
  readonly stopping?: Stopping | undefined;
  /** Called when the effect is about to begin. */
  onBegin?(): void;
  /** Called when someone is asked what became of the step. */
  onConfirm?(): void;
  /** True when an outcome that stands in the journal is to be replaced. */
  redoes?(ended: JournalEntry<'step_ended'>): boolean;
}

export interface StepCall {
  readonly key: string;
  readonly effect: StepEffect;
  readonly options?: StepOptions | undefined;
  readonly watch?: StepWatch | undefined;
}

export interface Placed {
  readonly key: string;
  readonly effect: StepEffect;
  readonly ordinal: number;
  /** True when it failed in an earlier segment and is tried again. */
  readonly redone: boolean;
}

/** A step that is being asked for: where it stands and what it does. */
export interface Asked extends Placed {
  readonly unit: Unit;
  readonly options: StepOptions;
  readonly watch: StepWatch | undefined;
  /** What its attempts have cost so far. */
  charge: Charge | undefined;
  /** Gives back what was reserved for it. */
  giveBack: (() => void) | undefined;
}
