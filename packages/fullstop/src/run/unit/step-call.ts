import type { JournalEntry, StepOutcome } from '../../engines/port/journal-entry.js';
import type { Charge } from '../../engines/port/usage.js';
import type { Room } from '../accounts/share.js';
import type { Slot } from '../replay/replay.js';
import type { StepAttempt, StepOptions } from '../run-context.js';
import type { Permit, Permits } from './permits.js';
import type { Stopping } from './stopping.js';
import type { Unit, UnitAbortListener } from './unit.js';

export type StepEffect = (attempt: StepAttempt) => unknown;

/** Notified where in the journal an operation ended, and when; `drive` folds observations by that. A record names its outcome. */
export type Seen = (seq: number, at: number, outcome?: StepOutcome) => void;

/** How `drive` follows whatever the journal may hold the outcome of. */
export interface OutcomeWatch {
  /** Notified at once where in the journal the outcome is that is handed over in its turn: nothing can stop it any more. */
  found?(seq: number): void;
}

/** How `drive` follows a step and decides about it. */
export interface StepWatch extends OutcomeWatch {
  /** Notified where in the journal the outcome is, its time, and the outcome itself. */
  seen(seq: number, at: number, outcome: StepOutcome): void;
  /** Makes the result of the step from its outcome; without it that is the value, and a failure is thrown. */
  settle?(key: string, outcome: StepOutcome): unknown;
  /** True when what the effect returns is known to be JSON, and the key to be storable. */
  readonly isJson?: boolean | undefined;
  /** True when the effect makes do with less than it reserves: it gets what the budgets have left. */
  readonly isShrinkable?: boolean | undefined;
  /** Only so many steps and units of a batch at once. */
  readonly permits?: Permits | undefined;
  /** The batch that the step is stopped with. */
  readonly stopping?: Stopping | undefined;
  /** Called when the effect is about to be performed. */
  onBegin?(): void;
  /** Called when someone is asked what became of the step. */
  onConfirm?(): void;
  /** True when an outcome that is in the journal is to be replaced. */
  redoes?(ended: JournalEntry<'step_ended'>): boolean;
}

export interface StepCall {
  readonly key: string;
  readonly effect: StepEffect;
  readonly options?: StepOptions | undefined;
  readonly watch?: StepWatch | undefined;
  /** True when it only starts other runs or waits for them, which needs no place in a queue. */
  readonly isElsewhere?: boolean;
}

const noOptions: StepOptions = {};

/** A step that is being performed: where it is, what it does and what it holds meanwhile. */
export class AskedStep {
  readonly unit: Unit;
  readonly ordinal: number;
  readonly key: string;
  readonly effect: StepEffect;
  readonly options: StepOptions;
  readonly watch: StepWatch | undefined;
  readonly isElsewhere: boolean;
  /** True when it failed in an earlier segment and is tried again. */
  readonly isRedone: boolean;
  /** True when its start is journalled and its outcome is not. */
  readonly isLost: boolean;
  /** Its entries in the journal so far. */
  readonly slot: Slot | undefined;
  attempts = 0;
  /** The cost of its attempts so far. */
  charge: Charge | undefined;
  /** True once its outcome is journalled, whichever that is: it gets no second one, although its commit may be under way for long. */
  hasOutcome = false;
  /** Waits for its unit to be ended from outside, once it has cost something. */
  cutListener: UnitAbortListener | undefined;
  /** True once it counts as an operation under way. */
  isCounted = false;
  /** Releases what was reserved for it. */
  giveBack: (() => void) | undefined;
  /** The room that limits had left for it when that was reserved. */
  room: Room | undefined;
  permit: Permit | undefined;

  constructor(
    unit: Unit,
    { key, effect, options, watch, isElsewhere = false }: StepCall,
    { ordinal, isRedone, isLost, slot }: Pick<AskedStep, 'ordinal' | 'isRedone' | 'isLost' | 'slot'>,
  ) {
    this.unit = unit;
    this.ordinal = ordinal;
    this.key = key;
    this.effect = effect;
    this.options = options ?? noOptions;
    this.watch = watch;
    this.isElsewhere = isElsewhere;
    this.isRedone = isRedone;
    this.isLost = isLost;
    this.slot = slot;
  }
}
