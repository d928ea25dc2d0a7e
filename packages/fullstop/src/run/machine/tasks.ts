import type { StepOutcome } from '../../engines/port/journal-entry.js';
import type { ReceivedAnswer } from '../../engines/port/request.js';
import { assertNever } from '../../termination/assert-never.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { StepFailed } from '../errors.js';
import type { RunContext, StepAttempt, UnitResult } from '../run-context.js';
import { type Permit, Permits } from '../unit/permits.js';
import type { StepWatch } from '../unit/step-call.js';
import { asUnitContext, type UnitContext } from '../unit/unit-context.js';
import { waitForever } from '../unit/wait-forever.js';
import { Batch } from './batch.js';
import type { BatchJournal } from './batch-journal.js';
import {
  chooseReady,
  isStoppable,
  loneEffect,
  newEffects,
  type SoleEffect,
  soleEffect,
  unaskedRequests,
} from './choose-ready.js';
import type { OpenDecision, Ready } from './fold-machine.js';
import { observeOutcome } from './journalled-outcome.js';
import type { MachineEffect, MachineObservation, MachinePerformer } from './machine.js';
import { Task, type TaskGroup } from './task.js';

/** The effects that a machine has under way: starts them, and hands over what is to be folded in next. */
export class Tasks<TPlan> {
  readonly #context: UnitContext;
  readonly #performer: MachinePerformer<TPlan>;
  readonly #batches: BatchJournal;
  readonly #tasks = new Map<string, Task>();
  readonly #stopListening: () => void;
  readonly #onObserved = (task: Task): void => this.#countObserved(task);
  /** A cancellation, or a fault of the machine itself: the whole fold stops. */
  readonly #onFault = (error: unknown): void => {
    this.#failure ??= { error };
    this.#wake();
  };
  /** Those that must end, or wait for a person, before the machine continues. */
  #working = 0;
  /** Those among them that have no observation yet. */
  #undone = 0;
  /** The batch of the decision at hand. */
  #batch: Batch | undefined;
  /** True while a record is made and nothing else: it is waited for, whatever limit is reached. */
  #isRecording = false;
  /** Set at a lull: the machine continues with what is there, since all the rest waits. */
  #lull = false;
  #wake: () => void = () => undefined;
  readonly #sole: SoleWatch;
  readonly #soleJson: SoleWatch;
  readonly #soleShrinkable: SoleWatch;
  #failure: { readonly error: unknown } | undefined;

  constructor(context: UnitContext, performer: MachinePerformer<TPlan>) {
    this.#context = context;
    this.#performer = performer;
    this.#batches = context.batches;
    this.#sole = new SoleWatch(context, {});
    this.#soleJson = new SoleWatch(context, { isJson: true });
    this.#soleShrinkable = new SoleWatch(context, { isJson: true, isShrinkable: true });
    this.#stopListening = context.onLull(() => this.#continueAtLull());
  }

  /** To be called when the machine has ended. */
  close(): void {
    this.#stopListening();
  }

  /** Starts the effects of a decision, and resolves to what is to be folded in next. */
  perform(decision: OpenDecision<TPlan>): Promise<Ready> {
    if (decision.type === 'perform' && decision.withdraw === true) this.withdrawExcept(decision.effects);
    this.#batch = undefined;
    const sole = this.#tasks.size === 0 ? soleEffect(decision) : undefined;
    if (sole !== undefined) return this.#performAlone(sole);
    const isNew = decision.type === 'perform' && this.#start(decision);
    if (this.#tasks.size === 0) throw makeStuckError();
    if (!isNew) this.#context.checkRest();
    return this.#next();
  }

  /** The observations of effects under way that have come so far. */
  coming(): readonly MachineObservation[] {
    return [...this.#tasks.values()].flatMap((task) => task.coming ?? []);
  }

  /** Stops what is under way because of a limit. False where nothing would come of that. */
  stopAtLimit(limit: AnyTermination): boolean {
    if (this.#isRecording) return true;
    this.#batch?.stopAtLimit(limit);
    return this.#batch !== undefined;
  }

  /** Withdraws the requests under way, except for these effects. */
  withdrawExcept(effects: readonly { readonly key: string }[]): void {
    if (this.#tasks.size === 0) return;
    for (const { key, requestId } of unaskedRequests(this.#tasks.values(), effects)) {
      this.#tasks.delete(key);
      this.#context.withdraw(requestId);
    }
  }

  /** Starts all effects in their order, before any of them can return. True when there was something new among them. */
  #start(decision: Extract<OpenDecision<TPlan>, { type: 'perform' }>): boolean {
    const effects = newEffects(decision, this.#tasks);
    const permits = decision.concurrency === undefined ? undefined : new Permits(decision.concurrency);
    const waiting = [...this.#tasks.values()];
    const isLone = this.#tasks.size === 0 && loneEffect(decision) !== undefined;
    const isBatch = isLone || isStoppable(decision);
    const batch = isBatch ? new Batch(this.#batches, effects, { ...decision, waiting, isLone }) : undefined;
    this.#batch = effects.length > 0 ? batch : undefined;
    for (const effect of effects) this.#begin(effect, { permits, batch });
    return effects.length > 0;
  }

  #begin(effect: MachineEffect<TPlan>, group: TaskGroup): void {
    const { key } = effect;
    if (this.#tasks.has(key)) throw makeDuplicateError(key);
    const { batch } = group;
    const task = new Task(effect, group, this.#onObserved);
    this.#tasks.set(key, task);
    if (!task.isRequest) {
      this.#working += 1;
      this.#undone += 1;
    }
    const stop = batch?.stopped;
    if (stop !== undefined && batch?.keepsFromStarting(key) === true) {
      task.observe({ type: 'not_started', key, at: stop.at }, stop.seq);
      if (effect.type !== 'unit') {
        this.#batches.passOver();
        return;
      }
    } else batch?.add(task);
    if (effect.type === 'step') this.#step(effect, task);
    else void this.#perform(effect, task);
  }

  #countObserved(task: Task): void {
    if (!task.isRequest) this.#undone -= 1;
    // Until then nothing is ready, unless the journal says so.
    if (this.#undone === 0 || this.#batches.evaluated !== undefined) this.#wake();
  }

  async #next(): Promise<Ready> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const ready = this.#ready();
      this.#lull = false;
      if (ready.length > 0) return this.#remove(ready);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #remove(ready: readonly Task[]): Ready {
    const observations: MachineObservation[] = [];
    let lastSeq = 0;
    for (const task of ready) {
      this.#tasks.delete(task.key);
      if (!task.isRequest) this.#working -= 1;
      if (task.observation !== undefined) observations.push(task.observation);
      lastSeq = Math.max(lastSeq, task.seq);
    }
    // While a unit waits, what the machine continues with depends on when it was asked: that has to be in the journal.
    if (this.#working > 0) this.#batches.evaluate(ready.map(({ key }) => key));
    return { observations, lastSeq, limit: ready.find(({ limit }) => limit !== undefined)?.limit };
  }

  #ready(): readonly Task[] {
    const { evaluated } = this.#batches;
    for (const key of evaluated ?? []) if (!this.#tasks.has(key)) this.#batches.mismatch(key);
    const restWaits = this.#lull && this.#allWait();
    return chooseReady(this.#tasks, { evaluated, undone: this.#undone, restWaits });
  }

  /** True when only people can bring what is under way any further. */
  #allWait(): boolean {
    return [...this.#tasks.values()].every((task) => task.isObserved || task.waits);
  }

  /** Everything that is ready has run: what waits now waits for a person, and does not hold up the machine. */
  #continueAtLull(): boolean {
    if (this.#working === 0 || this.#context.busy) return false;
    this.#lull = true;
    const continues = this.#ready().length > 0;
    if (continues) this.#wake();
    else this.#lull = false;
    return continues;
  }

  /** Performs an effect while nothing else is under way. */
  #performAlone(effect: SoleEffect<TPlan>): Promise<Ready> {
    if (effect.type === 'record') return this.#recordAlone(effect);
    const { key, plan, options } = effect;
    const performer = this.#performer;
    const perform = (attempt: StepAttempt): unknown => performer.step?.(plan, attempt, beginAlone);
    const watch = this.#soleWatch(effect);
    return this.#context.step(key, perform, options, watch) as Promise<Ready>;
  }

  #soleWatch({ isJson, isShrinkable }: Extract<SoleEffect<TPlan>, { type: 'step' }>): SoleWatch {
    if (isJson !== true) return isShrinkable === true ? new SoleWatch(this.#context, { isShrinkable }) : this.#sole;
    return isShrinkable === true ? this.#soleShrinkable : this.#soleJson;
  }

  async #recordAlone({ key, plan }: Extract<SoleEffect<TPlan>, { type: 'record' }>): Promise<Ready> {
    const [context, performer, watch] = [this.#context, this.#performer, this.#sole];
    this.#isRecording = true;
    try {
      const value = await context.record(
        key,
        () => performer.record?.(plan),
        (seq) => watch.seen(seq),
      );
      return {
        observations: [{ type: 'value', key, value: value as JsonValue | undefined, at: context.now() }],
        lastSeq: watch.seq,
      };
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return { observations: [observeError(error, key, context.now())], lastSeq: watch.seq };
    } finally {
      this.#isRecording = false;
    }
  }

  /** The task makes its observation of the outcome itself. */
  #step({ key, plan, options }: Extract<MachineEffect<TPlan>, { type: 'step' }>, task: Task): void {
    const performer = this.#performer;
    const perform = (attempt: StepAttempt): unknown => performer.step?.(plan, attempt, task.begin);
    this.#context.step(key, perform, options, task).then(undefined, this.#onFault);
  }

  async #perform(effect: Exclude<MachineEffect<TPlan>, { type: 'step' }>, task: Task): Promise<void> {
    try {
      const result = await this.#carryOut(effect, task);
      task.observe(observeResult(effect, result, task.at));
    } catch (error) {
      if (error instanceof StepFailed) task.observe(observeError(error, effect.key, task.at));
      else this.#onFault(error);
    }
  }

  #carryOut(effect: Exclude<MachineEffect<TPlan>, { type: 'step' }>, task: Task): Promise<unknown> {
    const [context, performer] = [this.#context, this.#performer];
    const { key } = effect;
    const seen = (seq: number, at: number): void => task.seen(seq, at);
    switch (effect.type) {
      case 'record':
        return context.record(
          key,
          () => performer.record?.(effect.plan),
          (seq, at, outcome) => task.recorded(seq, at, outcome),
        );
      case 'request':
        return context.wait(effect.request, seen);
      case 'sleep':
        return context.sleep(key, effect.milliseconds, task);
      case 'unit':
        return this.#unit(effect, task);
      default:
        return assertNever('Unknown effect', effect);
    }
  }

  #unit(effect: Extract<MachineEffect<TPlan>, { type: 'unit' }>, task: Task): Promise<UnitResult> {
    const { key, plan, limits, takesOver } = effect;
    const { permits, stopping } = task;
    if (takesOver === true) task.takesOver = this.#context;
    const body = (inner: RunContext): Promise<UnitResult> => {
      const context = asUnitContext(inner);
      task.inner = context;
      const { stoppedBy } = task;
      if (stoppedBy !== undefined) {
        context.stop(stoppedBy);
        return waitForever();
      }
      const work = (permit?: Permit): Promise<UnitResult> => {
        if (stopping?.stopped === true) {
          permit?.release();
          return waitForever();
        }
        task.onBegin();
        if (permit !== undefined) context.hold(permit);
        return unitOf(this.#performer)(plan, inner);
      };
      return permits === undefined ? work() : permits.hold(work);
    };
    const result = this.#context.child(key, body, limits === undefined ? {} : { limits }, task);
    this.#batches.addDead(task.dead);
    return result;
  }
}

/** Watches what runs alone, and makes its observation where the outcome is known: every promise in between costs as much as the bookkeeping. */
class SoleWatch implements StepWatch {
  readonly isJson: boolean;
  readonly isShrinkable: boolean;
  /** Where in the journal the last outcome is. */
  seq = 0;
  readonly #context: UnitContext;

  constructor(
    context: UnitContext,
    { isJson = false, isShrinkable = false }: Pick<StepWatch, 'isJson' | 'isShrinkable'>,
  ) {
    this.#context = context;
    this.isJson = isJson;
    this.isShrinkable = isShrinkable;
  }

  seen(seq: number): void {
    this.seq = seq;
  }

  settle(key: string, outcome: StepOutcome): Ready {
    return { observations: [observeOutcome(key, outcome, this.#context.now())], lastSeq: this.seq };
  }
}

/** Nothing can stop what runs alone. */
const beginAlone = (): void => undefined;

function observeResult(
  { type, key }: Exclude<MachineEffect<unknown>, { type: 'step' }>,
  result: unknown,
  at: number,
): MachineObservation {
  switch (type) {
    case 'record':
      return { type: 'value', key, value: result as JsonValue | undefined, at };
    case 'request':
      return { type: 'answer', key, answer: result as ReceivedAnswer, at };
    case 'sleep':
      return { type: 'slept', key, at };
    case 'unit':
      return { type: 'unit', key, result: result as UnitResult, at };
    default:
      return assertNever('Unknown effect', type);
  }
}

function observeError({ data, outcomeUnknown, refusal }: StepFailed, key: string, at: number): MachineObservation {
  return { type: 'error', key, error: data, outcomeUnknown, ...(refusal !== undefined && { refusal }), at };
}

function unitOf<TPlan>(performer: MachinePerformer<TPlan>): NonNullable<MachinePerformer<TPlan>['unit']> {
  if (performer.unit === undefined)
    throw new FullstopError('INTERNAL_DEFECT', 'The machine asks for a unit, but its performer has none.');
  return performer.unit;
}

function makeDuplicateError(key: string): FullstopError {
  return new FullstopError(
    'INTERNAL_DEFECT',
    `The machine asks for ${JSON.stringify(key)} while an effect of that key is under way.`,
  );
}

function makeStuckError(): FullstopError {
  return new FullstopError(
    'INTERNAL_DEFECT',
    'The machine waits although nothing is under way: it would wait for ever.',
  );
}
