import type { JournalEntry, StepOutcome } from '../../engines/port/journal-entry.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { endingOfError } from '../ending/ending-of-error.js';
import type { DeadBranch } from '../replay/dead-branch.js';
import type { UnitResult } from '../run-context.js';
import type { UnitWatch } from '../unit/child.js';
import type { Permits } from '../unit/permits.js';
import type { SleepWatch } from '../unit/sleep.js';
import type { StepWatch } from '../unit/step-call.js';
import { Stopping } from '../unit/stopping.js';
import type { UnitContext } from '../unit/unit-context.js';
import type { Batch, Member } from './batch.js';
import type { Candidate } from './choose-ready.js';
import { observeOutcome } from './journalled-outcome.js';
import type { MachineEffect, MachineObservation } from './machine.js';

/** The permits and the batch that the effects of one decision share. */
export interface TaskGroup {
  readonly permits: Permits | undefined;
  readonly batch: Batch | undefined;
}

/** One effect under way. It watches its own step or unit. */
export class Task implements Candidate, Member, StepWatch, UnitWatch, SleepWatch {
  readonly key: string;
  readonly isJson: boolean;
  readonly isShrinkable: boolean;
  /** The id of its request, if it is one. */
  readonly requestId: string | undefined;
  readonly permits: Permits | undefined;
  /** Only what is in a batch can be stopped with one. */
  readonly stopping: Stopping | undefined;
  /** Set for a unit whose ending becomes that of its parent: says whether a resume continues it. */
  takesOver: Pick<UnitContext, 'mayContinue'> | undefined;
  /** Its unit, once the body was called. */
  inner: UnitContext | undefined;
  /** Where in the journal its outcome is, and from when. */
  seq = 0;
  at = 0;
  /** Entries of the parent after earlier attempts of a unit, which no longer count. */
  dead: readonly DeadBranch[] = [];
  /** Begins the effect of a step that says itself when that is. */
  readonly begin = (): void => {
    this.#begun = true;
  };
  readonly #type: MachineEffect<unknown>['type'];
  readonly #beginsLater: boolean;
  readonly #batch: Batch | undefined;
  readonly #onObserved: (task: Task) => void;
  #begun = false;
  /** True while someone is asked what became of a step whose outcome was lost. */
  #confirming = false;
  #observation: MachineObservation | undefined;
  /** The outcome of a step, which is observed when its turn comes. */
  #outcome: StepOutcome | undefined;

  constructor(effect: MachineEffect<unknown>, { permits, batch }: TaskGroup, onObserved: (task: Task) => void) {
    this.key = effect.key;
    this.requestId = effect.type === 'request' ? effect.request.id : undefined;
    this.isJson = effect.type === 'step' && effect.isJson === true;
    this.isShrinkable = effect.type === 'step' && effect.isShrinkable === true;
    this.permits = permits;
    this.stopping = batch === undefined ? undefined : new Stopping();
    this.#type = effect.type;
    this.#beginsLater = effect.type === 'step' && effect.beginsLater === true;
    this.#batch = batch;
    this.#onObserved = onObserved;
  }

  get isRequest(): boolean {
    return this.#type === 'request';
  }

  get isObserved(): boolean {
    return this.#observation !== undefined;
  }

  get observation(): MachineObservation | undefined {
    return this.#observation;
  }

  /** The observation, or the one that there will be. */
  get coming(): MachineObservation | undefined {
    if (this.#observation !== undefined || this.#outcome === undefined) return this.#observation;
    return observeOutcome(this.key, this.#outcome, this.at);
  }

  /** The limit that has stopped its batch. */
  get limit(): AnyTermination | undefined {
    return this.#batch?.limit;
  }

  /** True when only a person can bring it further. */
  get waits(): boolean {
    if (this.#observation !== undefined) return false;
    return this.isRequest || this.#confirming || this.inner?.waits === true;
  }

  get stays(): boolean {
    const hasEnded = this.#observation !== undefined || this.seq > 0;
    return hasEnded || this.isRequest || this.#type === 'record';
  }

  get begun(): boolean {
    return this.#begun || this.#confirming || this.inner?.hasEntries === true;
  }

  /** The failure that its batch was stopped by. */
  get stoppedBy(): AnyTermination | undefined {
    return this.#batch?.stopped?.data.cause;
  }

  leavesDead(dead: readonly DeadBranch[]): void {
    this.dead = dead;
  }

  /** True when it was stopped by a value and not by a failure: then no resume continues it. */
  get isStoppedForGood(): boolean {
    return this.stopping?.stopped === true && this.#batch?.failFast === false;
  }

  onBegin(): void {
    if (!this.#beginsLater) this.#begun = true;
  }

  onConfirm(): void {
    this.#confirming = true;
  }

  /** From now on it stays, although it is observed only when the outcomes before it have been. */
  found(seq: number): void {
    this.seq = seq;
  }

  seen(seq: number, at: number, outcome?: StepOutcome): void {
    this.seq = seq;
    this.at = at;
    this.#confirming = false;
    if (outcome === undefined) return;
    this.#outcome = outcome;
    if (outcome.ok) this.#stopAtValue(outcome.value);
    else if (this.#batch?.failFast === true) this.#stopOthers(failureOf(outcome));
  }

  /** Stops the others in the commit of the record; one that failed stops nothing. */
  recorded(seq: number, at: number, outcome: StepOutcome | undefined): void {
    this.seen(seq, at);
    if (outcome?.ok === true) this.#stopAtValue(outcome.value);
  }

  /** Stops the others if the value of this one says so. */
  #stopAtValue(value: JsonValue | undefined): void {
    const cause = this.#batch?.stopAt(value);
    if (cause !== undefined) this.#stopOthers(cause);
  }

  /** Makes the observation where the outcome is known: promises in between would cost more than all the rest of a batch. */
  settle(key: string, outcome: StepOutcome): void {
    this.observe(observeOutcome(key, outcome, this.at));
  }

  ended(seq: number, at: number, { termination }: UnitResult): void {
    if (this.#observation === undefined) {
      this.seq = seq;
      this.at = at;
    }
    if (this.#batch?.isFailure(termination) === true) this.#stopOthers(termination);
  }

  /** The member that stops a batch sees that stop too before it continues. */
  #stopOthers(cause: AnyTermination): void {
    this.at = this.#batch?.stopAfter(this, cause) ?? this.at;
  }

  redoes(ended: JournalEntry<'step_ended'>): boolean {
    return this.#batch?.isUndone(ended) === true;
  }

  resumes(ended: JournalEntry<'unit_ended'>): boolean {
    return this.#batch?.isUndone(ended) === true || this.takesOver?.mayContinue(ended) === true;
  }

  observe(observation: MachineObservation, seq: number = this.seq): void {
    if (this.#observation !== undefined) return;
    this.seq = seq;
    this.#observation = observation;
    this.#onObserved(this);
  }

  stop(stop: JournalEntry<'batch_stopped'>): void {
    const { begun, key, stopping } = this;
    if (stopping !== undefined) stopping.dropped = !begun;
    stopping?.stop();
    if (!begun) this.observe({ type: 'not_started', key, at: stop.at }, stop.seq);
    this.inner?.stop(stop.data.cause);
  }
}

function failureOf({ error, refusal, attempts }: Extract<StepOutcome, { ok: false }>): AnyTermination {
  return refusal ?? endingOfError(error, 'step', attempts);
}
