import type { StepOutcome } from '../../engines/port/journal-entry.js';
import type { ReceivedAnswer } from '../../engines/port/request.js';
import { assertNever } from '../../termination/assert-never.js';
import { FullstopError } from '../../termination/fullstop-error.js';
import type { JsonValue } from '../../termination/json.js';
import { StepFailed } from '../errors.js';
import type { RunContext, StepAttempt, UnitResult } from '../run-context.js';
import { type Permit, Permits } from '../unit/permits.js';
import { asUnitContext, type UnitContext } from '../unit/unit-context.js';
import { waitForever } from '../unit/wait-forever.js';
import { Batch } from './batch.js';
import type { BatchJournal } from './batch-journal.js';
import { observationOfOutcome } from './journalled-outcome.js';
import type { Decision, Effect, Observation, Performer } from './machine.js';
import { Task, type Together } from './task.js';

/** What is to be folded in next, and how far the journal goes with it. */
export interface Ready {
  readonly observations: readonly Observation[];
  readonly lastSeq: number;
}

type SoleEffect<TPlan> = Extract<Effect<TPlan>, { type: 'step' | 'record' }>;

function soleEffect<TPlan>(decision: Decision<TPlan>): SoleEffect<TPlan> | undefined {
  if (decision.type !== 'perform' || decision.effects.length !== 1) return undefined;
  const [effect] = decision.effects;
  return effect?.type === 'step' || effect?.type === 'record' ? effect : undefined;
}

/** The effects that a machine has under way. */
export class Tasks<TPlan> {
  readonly #context: UnitContext;
  readonly #performer: Performer<TPlan>;
  readonly #batches: BatchJournal;
  readonly #tasks = new Map<string, Task>();
  readonly #forgetLulls: () => void;
  readonly #onObserved = (task: Task): void => this.#observed(task);
  /** A cancellation, or a fault of the machine itself: the whole fold stops. */
  readonly #onFault = (error: unknown): void => {
    this.#failure ??= { error };
    this.#wake();
  };
  /** Those that must come to an end, or wait for a person, before the machine goes on. */
  #working = 0;
  /** Those among them that have no observation yet. */
  #undone = 0;
  /** Set at a lull: the machine goes on with what is there, since all the rest waits. */
  #lull = false;
  #wake: () => void = () => undefined;
  /** Where in the journal the last effect came to its end that nothing went on beside. */
  #soleSeq = 0;
  /** Makes the observation where the outcome is, since every promise in between would cost as much as the bookkeeping. */
  readonly #sole = {
    isJson: false,
    seen: (seq: number): void => {
      this.#soleSeq = seq;
    },
    settle: (key: string, outcome: StepOutcome): Ready => ({
      observations: [observationOfOutcome(key, outcome, this.#context.now())],
      lastSeq: this.#soleSeq,
    }),
  };
  readonly #soleJson = { ...this.#sole, isJson: true };
  #failure: { readonly error: unknown } | undefined;

  constructor(context: UnitContext, performer: Performer<TPlan>) {
    this.#context = context;
    this.#performer = performer;
    this.#batches = context.batches;
    this.#forgetLulls = context.onLull(() => this.#lulled());
  }

  get idle(): boolean {
    return this.#tasks.size === 0;
  }

  /** To be called when the machine has ended. */
  close(): void {
    this.#forgetLulls();
  }

  /** Starts all effects in their order, before any of them can come back. True when there was something new among them. */
  start({ effects, concurrency, failFast }: Extract<Decision<TPlan>, { type: 'perform' }>): boolean {
    // The machine is asked while something is under way only if that waits for a person: asking for it again changes nothing.
    const fresh = effects.filter(({ key }) => !this.#tasks.has(key));
    const permits = concurrency === undefined ? undefined : new Permits(concurrency);
    const batch = failFast === true && effects.length > 1 ? new Batch(this.#batches, fresh) : undefined;
    for (const effect of fresh) this.#begin(effect, { permits, batch });
    return fresh.length > 0;
  }

  #begin(effect: Effect<TPlan>, together: Together): void {
    const { key } = effect;
    if (this.#tasks.has(key)) throw duplicate(key);
    const { batch } = together;
    const task = new Task(effect, together, this.#onObserved);
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

  #observed(task: Task): void {
    if (!task.isRequest) this.#undone -= 1;
    // Until then nothing is ready, unless the journal says so.
    if (this.#undone === 0 || this.#batches.evaluated !== undefined) this.#wake();
  }

  /**
   * The observations to fold in next: all of a batch in the order it was started, with the answers that were journalled
   * before its last; or, when everything waits, the one answer that was journalled first.
   */
  async next(): Promise<Ready> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const ready = this.#ready();
      this.#lull = false;
      if (ready.length > 0) return this.#take(ready);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(ready: readonly Task[]): Ready {
    const observations: Observation[] = [];
    let lastSeq = 0;
    for (const task of ready) {
      this.#tasks.delete(task.key);
      if (!task.isRequest) this.#working -= 1;
      if (task.observation !== undefined) observations.push(task.observation);
      lastSeq = Math.max(lastSeq, task.seq);
    }
    // While a unit waits, what the machine goes on with depends on when it was asked: that has to stand in the journal.
    if (this.#working > 0) this.#batches.evaluate(ready.map(({ key }) => key));
    return { observations, lastSeq };
  }

  #ready(): readonly Task[] {
    const evaluated = this.#batches.evaluated;
    if (evaluated !== undefined) return this.#asEvaluated(evaluated);
    if (this.#working === 0) return this.#answered().slice(0, 1);
    if (this.#undone > 0 && !(this.#lull && this.#allWait())) return [];
    const done = [...this.#tasks.values()].filter((task) => !task.isRequest && task.observation !== undefined);
    if (done.length === 0) return this.#answered().slice(0, 1);
    if (done.length === this.#tasks.size) return done;
    const last = done.reduce((latest, { seq }) => Math.max(latest, seq), 0);
    return [...this.#answered().filter(({ seq }) => seq < last), ...done];
  }

  /** True when only persons can bring what is under way any further. */
  #allWait(): boolean {
    return [...this.#tasks.values()].every((task) => task.observation !== undefined || task.waits);
  }

  /** What the journal says that the machine went on with here, once all of it is there. */
  #asEvaluated(keys: readonly string[]): readonly Task[] {
    const tasks = keys.map((key) => this.#tasks.get(key) ?? this.#batches.mismatch(key));
    return tasks.every((task) => task?.observation !== undefined) ? (tasks as readonly Task[]) : [];
  }

  /** The requests that have an answer, in the order of the journal. */
  #answered(): readonly Task[] {
    return [...this.#tasks.values()]
      .filter((task) => task.isRequest && task.observation !== undefined)
      .sort((left, right) => left.seq - right.seq);
  }

  /** Everything that is ready has run: what waits now waits for a person, and does not hold up the machine. */
  #lulled(): boolean {
    if (this.#working === 0 || this.#context.busy) return false;
    this.#lull = true;
    const goesOn = this.#ready().length > 0;
    if (goesOn) this.#wake();
    else this.#lull = false;
    return goesOn;
  }

  /** Starts what is wanted, and gives what is to be folded in next. */
  perform(decision: Exclude<Decision<TPlan>, { type: 'end' }>): Promise<Ready> {
    const sole = this.idle ? soleEffect(decision) : undefined;
    if (sole !== undefined) return this.#alone(sole);
    const isNew = decision.type === 'perform' && this.start(decision);
    if (this.idle) throw stuck();
    if (!isNew) this.#context.checkRest();
    return this.next();
  }

  /** Performs an effect that nothing goes on beside: most are like that, and need none of the bookkeeping. */
  #alone(effect: SoleEffect<TPlan>): Promise<Ready> {
    if (effect.type === 'record') return this.#recordAlone(effect);
    const { key, plan, options, isJson } = effect;
    const performer = this.#performer;
    const perform = (attempt: StepAttempt): unknown => performer.step?.(plan, attempt);
    const watch = isJson === true ? this.#soleJson : this.#sole;
    return this.#context.step(key, perform, options, watch) as Promise<Ready>;
  }

  async #recordAlone({ key, plan }: Extract<SoleEffect<TPlan>, { type: 'record' }>): Promise<Ready> {
    const [context, performer] = [this.#context, this.#performer];
    try {
      const value = await context.record(key, () => performer.record?.(plan), this.#sole.seen);
      return {
        observations: [{ type: 'value', key, value: value as JsonValue | undefined, at: context.now() }],
        lastSeq: this.#soleSeq,
      };
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return { observations: [errorOf(error, key, context.now())], lastSeq: this.#soleSeq };
    }
  }

  /** The task makes its observation of the outcome itself. */
  #step({ key, plan, options }: Extract<Effect<TPlan>, { type: 'step' }>, task: Task): void {
    const performer = this.#performer;
    this.#context.step(key, (attempt) => performer.step?.(plan, attempt), options, task).then(undefined, this.#onFault);
  }

  async #perform(effect: Exclude<Effect<TPlan>, { type: 'step' }>, task: Task): Promise<void> {
    try {
      const found = await this.#carryOut(effect, task);
      task.observe(observationOf(effect, found, task.at));
    } catch (error) {
      if (error instanceof StepFailed) task.observe(errorOf(error, effect.key, task.at));
      else this.#onFault(error);
    }
  }

  #carryOut(effect: Exclude<Effect<TPlan>, { type: 'step' }>, task: Task): Promise<unknown> {
    const [context, performer] = [this.#context, this.#performer];
    const { key } = effect;
    const seen = (seq: number, at: number): void => task.seen(seq, at);
    switch (effect.type) {
      case 'record':
        return context.record(key, () => performer.record?.(effect.plan), seen);
      case 'request':
        return context.wait(effect.request, seen);
      case 'sleep':
        return context.sleep(key, effect.milliseconds, seen, task.stopping);
      case 'unit':
        return this.#unit(effect, task);
      default:
        return assertNever('Unknown effect', effect);
    }
  }

  #unit({ key, plan, limits }: Extract<Effect<TPlan>, { type: 'unit' }>, task: Task): Promise<UnitResult> {
    const { permits, stopping } = task;
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
    this.#batches.leaveBehind(task.dead);
    return result;
  }
}

/** What was found, as the machine is told of it. */
function observationOf(
  { type, key }: Exclude<Effect<unknown>, { type: 'step' }>,
  found: unknown,
  at: number,
): Observation {
  switch (type) {
    case 'record':
      return { type: 'value', key, value: found as JsonValue | undefined, at };
    case 'request':
      return { type: 'answer', key, answer: found as ReceivedAnswer, at };
    case 'sleep':
      return { type: 'slept', key, at };
    case 'unit':
      return { type: 'unit', key, result: found as UnitResult, at };
    default:
      return assertNever('Unknown effect', type);
  }
}

function errorOf({ data, outcomeUnknown, refusal }: StepFailed, key: string, at: number): Observation {
  return { type: 'error', key, error: data, outcomeUnknown, ...(refusal !== undefined && { refusal }), at };
}

function unitOf<TPlan>(performer: Performer<TPlan>): NonNullable<Performer<TPlan>['unit']> {
  if (performer.unit === undefined)
    throw new FullstopError('INVALID_OPTION', 'The machine asks for a unit, but its performer has none.');
  return performer.unit;
}

function duplicate(key: string): FullstopError {
  return new FullstopError(
    'INVALID_OPTION',
    `The machine asks for ${JSON.stringify(key)} while an effect of that key is under way.`,
  );
}

function stuck(): FullstopError {
  return new FullstopError(
    'INVALID_OPTION',
    'The machine waits although nothing is under way: it would wait for ever.',
  );
}
