import type { JournalEntry, StepOutcome } from '../engines/port/journal-entry.js';
import { assertNever } from '../termination/assert-never.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { JsonValue } from '../termination/json.js';
import type { AnyTermination } from '../termination/kinds.js';
import { terminations } from '../termination/terminations.js';
import { Batch } from './batch.js';
import type { BatchJournal } from './batch-journal.js';
import { classifyError } from './classify-error.js';
import { StepFailed } from './errors.js';
import type { Decision, Effect, Observation, Performer } from './machine.js';
import { never } from './never.js';
import { type Permit, Permits } from './permits.js';
import type { RunContext, UnitResult } from './run-context.js';
import { Task } from './task.js';
import { asUnitContext, type UnitContext } from './unit-context.js';

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

/** What the effects of one decision share. */
interface Together {
  readonly permits: Permits | undefined;
  readonly batch: Batch | undefined;
}

/** The effects that a machine has under way. */
export class Tasks<TPlan> {
  readonly #context: UnitContext;
  readonly #performer: Performer<TPlan>;
  readonly #batches: BatchJournal;
  readonly #tasks = new Map<string, Task>();
  readonly #forgetLulls: () => void;
  /** Those that must come to an end, or wait for a person, before the machine goes on. */
  #working = 0;
  /** Set at a lull: the machine goes on with what is there, since all the rest waits. */
  #lull = false;
  #wake: () => void = () => undefined;
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
    const task = new Task(effect, () => this.#wake());
    this.#tasks.set(key, task);
    if (!task.isRequest) this.#working += 1;
    const stop = batch?.stopped;
    if (stop !== undefined && batch?.keepsFromStarting(key) === true) {
      task.observe({ type: 'not_started', key, at: stop.at }, stop.seq);
      if (effect.type !== 'unit') {
        this.#batches.passOver();
        return;
      }
    } else batch?.add(task);
    this.#perform(effect, task, together).then(
      (observation) => task.observe(observation),
      (error: unknown) => {
        // A cancellation, or a fault of the machine itself: the whole fold stops.
        this.#failure ??= { error };
        this.#wake();
      },
    );
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
    for (const task of ready) {
      this.#tasks.delete(task.key);
      if (!task.isRequest) this.#working -= 1;
    }
    // While a unit waits, what the machine goes on with depends on when it was asked: that has to stand in the journal.
    if (this.#working > 0) this.#batches.evaluate(ready.map(({ key }) => key));
    const observations = ready.flatMap(({ observation }) => (observation === undefined ? [] : [observation]));
    return { observations, lastSeq: ready.reduce((last, { seq }) => Math.max(last, seq), 0) };
  }

  #ready(): readonly Task[] {
    const evaluated = this.#batches.evaluated;
    if (evaluated !== undefined) return this.#asEvaluated(evaluated);
    if (this.#working === 0) return this.#answered().slice(0, 1);
    const tasks = [...this.#tasks.values()];
    const undone = tasks.some(
      (task) => !task.isRequest && task.observation === undefined && !(this.#lull && task.waits),
    );
    if (undone) return [];
    const done = tasks.filter((task) => !task.isRequest && task.observation !== undefined);
    if (done.length === 0) return this.#answered().slice(0, 1);
    const last = done.reduce((latest, { seq }) => Math.max(latest, seq), 0);
    return [...this.#answered().filter(({ seq }) => seq < last), ...done];
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
  async #alone(effect: SoleEffect<TPlan>): Promise<Ready> {
    const [context, performer] = [this.#context, this.#performer];
    const { key, plan } = effect;
    let lastSeq = 0;
    const seen = (seq: number): void => {
      lastSeq = seq;
    };
    try {
      const performed =
        effect.type === 'step'
          ? context.step(key, (attempt) => performer.step?.(plan, attempt), effect.options, { seen })
          : context.record(key, () => performer.record?.(plan), seen);
      const value = (await performed) as JsonValue | undefined;
      return { observations: [{ type: 'value', key, value, at: context.now() }], lastSeq };
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return { observations: [errorOf(error, key, context.now())], lastSeq };
    }
  }

  async #perform(effect: Effect<TPlan>, task: Task, together: Together): Promise<Observation> {
    const { key } = effect;
    try {
      const found = await this.#carryOut(effect, task, together);
      return { ...found, key, at: this.#context.now() } as Observation;
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return errorOf(error, key, this.#context.now());
    }
  }

  async #carryOut(effect: Effect<TPlan>, task: Task, together: Together): Promise<object> {
    const [context, performer] = [this.#context, this.#performer];
    const { key } = effect;
    const seen = (seq: number): void => {
      task.seq = seq;
    };
    switch (effect.type) {
      case 'step':
        return { type: 'value', value: await this.#step(effect, task, together) };
      case 'record':
        return { type: 'value', value: await context.record(key, () => performer.record?.(effect.plan), seen) };
      case 'request':
        return { type: 'answer', answer: await context.wait(effect.request, seen) };
      case 'sleep':
        await context.sleep(key, effect.milliseconds, seen, task.stopping);
        return { type: 'slept' };
      case 'unit':
        return { type: 'unit', result: await this.#unit(effect, task, together) };
      default:
        return assertNever('Unknown effect', effect);
    }
  }

  #step(effect: Extract<Effect<TPlan>, { type: 'step' }>, task: Task, { permits, batch }: Together): Promise<unknown> {
    const { key, plan, options } = effect;
    return this.#context.step(key, (attempt) => this.#performer.step?.(plan, attempt), options, {
      seen: (seq, outcome) => {
        task.seq = seq;
        task.confirming = false;
        if (!outcome.ok) batch?.failed(task, failureOf(outcome));
      },
      permits,
      stopping: batch === undefined ? undefined : task.stopping,
      onBegin: () => {
        task.begun = true;
      },
      onConfirm: () => {
        task.confirming = true;
      },
      redoes: (ended) => batch?.isUndone(ended) === true,
    });
  }

  #unit(
    effect: Extract<Effect<TPlan>, { type: 'unit' }>,
    task: Task,
    { permits, batch }: Together,
  ): Promise<UnitResult> {
    const { key, plan, limits } = effect;
    const body = (inner: RunContext): Promise<UnitResult> => {
      const context = asUnitContext(inner);
      task.inner = context;
      const stop = batch?.stopped;
      if (stop !== undefined) {
        context.stop(stop.data.cause);
        return never();
      }
      const work = (permit?: Permit): Promise<UnitResult> => {
        if (task.stopping.stopped) {
          permit?.release();
          return never();
        }
        task.begun = true;
        if (permit !== undefined) context.hold(permit);
        return unitOf(this.#performer)(plan, inner);
      };
      return permits === undefined ? work() : permits.hold(work);
    };
    return this.#context.child(key, body, limits === undefined ? {} : { limits }, {
      seen: (seq, { termination }) => {
        if (task.observation === undefined) task.seq = seq;
        if (batch !== undefined && this.#batches.isFailure(termination)) batch.failed(task, termination);
      },
      takesUp: (ended: JournalEntry<'unit_ended'>) => batch?.isUndone(ended) === true,
    });
  }
}

function errorOf({ data, outcomeUnknown, refusal }: StepFailed, key: string, at: number): Observation {
  return { type: 'error', key, error: data, outcomeUnknown, ...(refusal !== undefined && { refusal }), at };
}

function failureOf({ error, refusal }: Extract<StepOutcome, { ok: false }>): AnyTermination {
  return refusal ?? terminations.failed({ error, origin: 'step', errorClass: classifyError(error) });
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
