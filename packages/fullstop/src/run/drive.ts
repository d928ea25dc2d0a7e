import { assertNever } from '../termination/assert-never.js';
import type { Ending } from '../termination/ending.js';
import { FullstopError } from '../termination/fullstop-error.js';
import type { JsonObject, JsonValue } from '../termination/json.js';
import { StepFailed } from './errors.js';
import type { Decision, Effect, Machine, Observation, Performer, SegmentOpening } from './machine.js';
import { Permits } from './permits.js';
import type { End, RunContext, StepAttempt, UnitResult } from './run-context.js';
import { UnitContext } from './unit-context.js';

export interface DriveOptions<TState, TPlan, TInput> {
  readonly machine: Machine<TState, TPlan, TInput>;
  readonly performer: Performer<TPlan>;
  readonly context: RunContext;
  readonly input: TInput;
  /** A checkpoint is written after this many observations; 500 unless given. */
  readonly checkpointEvery?: number;
}

/**
 * Runs a machine: asks what to do, performs it through the context and folds the observations in, in the order of the
 * journal. On resume the same loop runs over what the journal holds, so that nothing is decided twice.
 */
export async function drive<TState, TPlan, TInput>(options: DriveOptions<TState, TPlan, TInput>): Promise<End<Ending>> {
  const { machine, performer, checkpointEvery = 500 } = options;
  const context = asUnitContext(options.context);
  // What a machine has observed stands; it goes on behind an ending by its own `resume`.
  context.letFailuresStand();
  let state = firstState(options, context);
  const tasks = new Tasks(context, performer);
  const openings = new Openings(machine, context);
  for (let sinceCheckpoint = 0; ; ) {
    state = openings.take(state, ({ reach }) => context.nextOrdinal > reach);
    const decision = machine.decide(state);
    if (decision.type === 'end') return toEnd(decision);
    const ready = await tasks.perform(decision);
    state = openings.take(state, ({ seq }) => seq < ready.lastSeq);
    for (const observation of ready.observations) {
      state = machine.apply(state, observation);
      sinceCheckpoint += 1;
    }
    for (const observed of listOf(machine.observe?.(state))) context.observe(observed);
    if (machine.snapshot !== undefined && sinceCheckpoint >= checkpointEvery && tasks.idle) {
      context.checkpoint(machine.snapshot.save(state));
      sinceCheckpoint = 0;
    }
  }
}

/** The segments that resumes have opened; the machine is told of each once the fold has come to it. */
class Openings<TState, TPlan, TInput> {
  readonly #machine: Machine<TState, TPlan, TInput>;
  readonly #openings: SegmentOpening[];

  constructor(machine: Machine<TState, TPlan, TInput>, context: UnitContext) {
    this.#machine = machine;
    this.#openings = machine.resume === undefined ? [] : [...context.openings()];
  }

  take(state: TState, isDue: (opening: SegmentOpening) => boolean): TState {
    let current = state;
    for (let next = this.#openings[0]; next !== undefined && isDue(next); next = this.#openings[0]) {
      this.#openings.shift();
      current = this.#machine.resume?.(current, next) ?? current;
    }
    return current;
  }
}

type SoleEffect<TPlan> = Extract<Effect<TPlan>, { type: 'step' | 'record' }>;

function soleEffect<TPlan>(decision: Decision<TPlan>): SoleEffect<TPlan> | undefined {
  if (decision.type !== 'perform' || decision.effects.length !== 1) return undefined;
  const [effect] = decision.effects;
  return effect?.type === 'step' || effect?.type === 'record' ? effect : undefined;
}

/** What is to be folded in next, and how far the journal goes with it. */
interface Ready {
  readonly observations: readonly Observation[];
  readonly lastSeq: number;
}

/** The state of the last checkpoint, or that of the beginning. */
function firstState<TState, TPlan, TInput>(
  { machine, input }: DriveOptions<TState, TPlan, TInput>,
  context: UnitContext,
): TState {
  const saved = machine.snapshot && context.restoreCheckpoint();
  return saved === undefined || machine.snapshot === undefined ? machine.init(input) : machine.snapshot.load(saved);
}

interface Task {
  readonly key: string;
  readonly waiting: boolean;
  observation: Observation | undefined;
  /** Where in the journal it came to its end. */
  seq: number;
}

/** The effects under way. */
class Tasks<TPlan> {
  readonly #context: UnitContext;
  readonly #performer: Performer<TPlan>;
  readonly #tasks = new Map<string, Task>();
  #wake: () => void = () => undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(context: UnitContext, performer: Performer<TPlan>) {
    this.#context = context;
    this.#performer = performer;
  }

  get idle(): boolean {
    return this.#tasks.size === 0;
  }

  /** Starts all effects in their order, before any of them can come back. */
  start(effects: readonly Effect<TPlan>[], concurrency: number | undefined): void {
    const permits = new Permits(concurrency ?? Number.POSITIVE_INFINITY);
    for (const effect of effects) {
      if (this.#tasks.has(effect.key)) {
        // Asking what is being asked already changes nothing.
        if (effect.type === 'request') continue;
        throw duplicate(effect.key);
      }
      const task: Task = { key: effect.key, waiting: effect.type === 'request', observation: undefined, seq: 0 };
      this.#tasks.set(effect.key, task);
      this.#perform(effect, task, permits).then(
        (observation) => {
          task.observation = observation;
          this.#wake();
        },
        (error: unknown) => {
          // A cancellation, or a fault of the machine itself: the whole fold stops.
          this.#failure ??= { error };
          this.#wake();
        },
      );
    }
  }

  /**
   * The observations to fold in next: all of a batch in the order it was started, with the answers that were journalled
   * before its last; or, when everything waits, the one answer that was journalled first.
   */
  async next(): Promise<Ready> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const ready = this.#ready();
      if (ready.length > 0) {
        for (const task of ready) this.#tasks.delete(task.key);
        const observations = ready.flatMap(({ observation }) => (observation === undefined ? [] : [observation]));
        return { observations, lastSeq: Math.max(...ready.map(({ seq }) => seq)) };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Starts what is wanted, and gives what is to be folded in next. */
  perform(decision: Exclude<Decision<TPlan>, { type: 'end' }>): Promise<Ready> {
    const sole = this.idle ? soleEffect(decision) : undefined;
    if (sole !== undefined) return this.#alone(sole);
    if (decision.type === 'perform') this.start(decision.effects, decision.concurrency);
    if (this.idle) throw stuck();
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
          ? context.step(key, (attempt) => performer.step?.(plan, attempt), effect.options, seen)
          : context.record(key, () => performer.record?.(plan), seen);
      const value = (await performed) as JsonValue | undefined;
      return { observations: [{ type: 'value', key, value, at: context.now() }], lastSeq };
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      const { data, outcomeUnknown } = error;
      return { observations: [{ type: 'error', key, error: data, outcomeUnknown, at: context.now() }], lastSeq };
    }
  }

  #ready(): readonly Task[] {
    const tasks = [...this.#tasks.values()];
    const working = tasks.filter((task) => !task.waiting);
    const answered = tasks
      .filter((task) => task.waiting && task.observation !== undefined)
      .sort((left, right) => left.seq - right.seq);
    if (working.length === 0) return answered.slice(0, 1);
    if (working.some((task) => task.observation === undefined)) return [];
    const last = Math.max(...working.map((task) => task.seq));
    return [...answered.filter((task) => task.seq < last), ...working];
  }

  async #perform(effect: Effect<TPlan>, task: Task, permits: Permits): Promise<Observation> {
    const { key } = effect;
    const seen = (seq: number): void => {
      task.seq = seq;
    };
    try {
      const found = await this.#carryOut(effect, permits, seen);
      return { ...found, key, at: this.#context.now() } as Observation;
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return { type: 'error', key, error: error.data, outcomeUnknown: error.outcomeUnknown, at: this.#context.now() };
    }
  }

  async #carryOut(effect: Effect<TPlan>, permits: Permits, seen: (seq: number) => void): Promise<object> {
    const [context, performer] = [this.#context, this.#performer];
    const { key } = effect;
    switch (effect.type) {
      case 'step': {
        const perform = (attempt: StepAttempt): unknown =>
          permits.hold((permit) => {
            // A step that took too long is over, whatever its effect still does.
            if (effect.options?.timeoutMs !== undefined)
              attempt.signal.addEventListener('abort', permit.release, { once: true });
            return performer.step?.(effect.plan, attempt);
          });
        return { type: 'value', value: await context.step(key, perform, effect.options, seen) };
      }
      case 'record':
        return { type: 'value', value: await context.record(key, () => performer.record?.(effect.plan), seen) };
      case 'request':
        return { type: 'answer', answer: await context.wait(effect.request, seen) };
      case 'sleep':
        await context.sleep(key, effect.milliseconds, seen);
        return { type: 'slept' };
      case 'unit': {
        const limits = effect.limits === undefined ? {} : { limits: effect.limits };
        const body = (inner: RunContext): Promise<UnitResult> =>
          permits.hold((permit) => {
            asUnitContext(inner).hold(permit);
            return unitOf(performer)(effect.plan, inner);
          });
        return { type: 'unit', result: await context.child(key, body, limits, seen) };
      }
      default:
        return assertNever('Unknown effect', effect);
    }
  }
}

function unitOf<TPlan>(performer: Performer<TPlan>): NonNullable<Performer<TPlan>['unit']> {
  if (performer.unit === undefined)
    throw new FullstopError('INVALID_OPTION', 'The machine asks for a unit, but its performer has none.');
  return performer.unit;
}

function listOf(observed: JsonObject | readonly JsonObject[] | undefined): readonly JsonObject[] {
  if (observed === undefined) return [];
  return Array.isArray(observed) ? observed : [observed as JsonObject];
}

function toEnd(decision: Extract<Decision<unknown>, { type: 'end' }>): End<Ending> {
  const { termination, also, output } = decision;
  return {
    termination,
    ...(also !== undefined && { also }),
    ...(output !== undefined && { output: output as JsonValue }),
  };
}

function asUnitContext(context: RunContext): UnitContext {
  if (context instanceof UnitContext) return context;
  throw new FullstopError('INVALID_OPTION', 'drive needs the context that a run gives to its body.');
}

function stuck(): FullstopError {
  return new FullstopError(
    'INVALID_OPTION',
    'The machine waits although nothing is under way: it would wait for ever.',
  );
}

function duplicate(key: string): FullstopError {
  return new FullstopError(
    'INVALID_OPTION',
    `The machine asks for ${JSON.stringify(key)} while an effect of that key is under way.`,
  );
}
