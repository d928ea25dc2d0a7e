import type { AbortSignalLike } from '../engines/port/engine.js';
import type { StepOutcome } from '../engines/port/journal-entry.js';
import type { ReceivedAnswer, Request } from '../engines/port/request.js';
import type { JsonObject, JsonValue } from '../termination/json.js';
import { isMarked, putMark } from '../termination/marked.js';
import { toErrorData } from '../termination/to-error-data.js';
import { child } from './children.js';
import type { Turn } from './delivery.js';
import { deterministicId } from './deterministic-id.js';
import type { Execution } from './execution.js';
import type { LedgerView } from './ledger.js';
import type { SegmentOpening } from './machine.js';
import { never } from './never.js';
import { normalise } from './normalise.js';
import type { Permit } from './permits.js';
import { lastOf } from './replay.js';
import type {
  BodyResult,
  ChildOptions,
  RunContext,
  Spawnable,
  SpawnedRun,
  StepAttempt,
  StepOptions,
  UnitResult,
} from './run-context.js';
import { spawn } from './spawn.js';
import { settle, step } from './steps.js';
import type { Unit } from './unit.js';

/** Told where in the journal an operation came to its end; `drive` folds observations in that order. */
type Seen = (seq: number) => void;

// A definition and a machine may come from different entry points, each with its own copy of this class.
const contextMark: symbol = Symbol.for('fullstop.unit-context');

/** The context of one unit. */
export class UnitContext implements RunContext {
  readonly #execution: Execution;
  readonly #unit: Unit;

  constructor(execution: Execution, unit: Unit) {
    putMark(this, contextMark);
    this.#execution = execution;
    this.#unit = unit;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return isMarked(value, contextMark);
  }

  get runId(): string {
    return this.#execution.session.identity.runId;
  }

  get version(): string {
    return this.#execution.session.identity.version;
  }

  get scope(): string {
    return this.#unit.scope;
  }

  get segment(): number {
    return this.#execution.session.segment;
  }

  get signal(): AbortSignalLike {
    return this.#unit.signal;
  }

  get ledger(): LedgerView {
    return this.#unit.ledger;
  }

  step<T>(
    key: string,
    effect: (attempt: StepAttempt) => T | Promise<T>,
    options?: StepOptions,
    seen?: Seen,
  ): Promise<T> {
    return step(this.#execution, this.#unit, { key, effect, options, seen }) as Promise<T>;
  }

  async record<T>(key: string, callback: () => T | Promise<T>, seen?: Seen): Promise<T> {
    const [execution, unit] = [this.#execution, this.#unit];
    const ordinal = unit.nextOrdinal++;
    const slot = execution.slot(unit, ordinal, key);
    if (execution.closed || !unit.active) return never();
    const recorded = lastOf(slot, 'recorded');
    if (recorded !== undefined) {
      await execution.delivery.reserve(recorded.seq)();
      if (execution.closed || !unit.active) return never();
      unit.see(recorded.at);
      seen?.(recorded.seq);
      return settle(key, recorded.data) as T;
    }
    execution.begin();
    try {
      const outcome = execution.seal(await judged(callback));
      if (execution.closed || !unit.active) return never();
      // Not flushed: it rides with the next commit, and is asked again only if nothing later was journalled.
      const at = execution.append<'recorded'>({ type: 'recorded', scope: unit.scope, ordinal, key, data: outcome });
      seen?.(execution.lastSeq);
      // `drive` folds by place, so it needs no turns; the branches of another body do.
      const turn = seen === undefined ? execution.delivery.reserve(execution.lastSeq) : undefined;
      if (await this.#handedOver(at, 1, turn)) return settle(key, outcome) as T;
      return never();
    } finally {
      execution.done();
    }
  }

  /** Waits for the turn of the entry that was written last; false when the body is not to go on any more. */
  async #handedOver(at: number, ownOperations: 0 | 1, turn: Turn | undefined): Promise<boolean> {
    const [execution, unit] = [this.#execution, this.#unit];
    if (execution.settings.alwaysReplay && (await execution.replaysInstead(ownOperations))) return false;
    if (turn !== undefined) await turn();
    if (execution.closed || !unit.active) return false;
    unit.see(at);
    return true;
  }

  wait(request: Request, seen?: Seen): Promise<ReceivedAnswer> {
    return this.#execution.waits.wait(this.#unit, request, seen);
  }

  async sleep(key: string, milliseconds: number, seen?: Seen): Promise<void> {
    const [execution, unit] = [this.#execution, this.#unit];
    const ordinal = unit.nextOrdinal++;
    const slot = execution.slot(unit, ordinal, key);
    if (execution.closed || !unit.active) return never();
    const ended = lastOf(slot, 'sleep_ended');
    const started = lastOf(slot, 'sleep_started');
    if (started !== undefined) unit.see(started.at);
    if (ended !== undefined) {
      await execution.delivery.reserve(ended.seq)();
      if (execution.closed || !unit.active) return never();
      unit.see(ended.at);
      seen?.(ended.seq);
      return;
    }
    const refusal = execution.refusal(unit);
    if (refusal !== undefined) throw refusal;
    const place = { scope: unit.scope, ordinal, key } as const;
    let until = started?.data.until;
    if (until === undefined) {
      until = execution.engine.clock.now() + Math.max(0, milliseconds);
      execution.begin();
      unit.see(execution.append<'sleep_started'>({ type: 'sleep_started', ...place, data: { until } }));
      const going = await execution.flush();
      execution.done();
      if (!going) return never();
    }
    await this.#until(until);
    const at = execution.append<'sleep_ended'>({ type: 'sleep_ended', ...place, data: { until } });
    seen?.(execution.lastSeq);
    if (!(await this.#handedOver(at, 0, execution.turnOf(execution.lastSeq, 0)))) return never();
  }

  /** Waits for an instant; a cancellation ends the wait as an error. */
  #until(instant: number): Promise<void> {
    const [execution, unit] = [this.#execution, this.#unit];
    const over = execution.beginSleep(instant);
    return new Promise((resolve, reject) => {
      const stop = execution.engine.clock.callAt(instant, () => {
        over();
        forget();
        if (!execution.closed && unit.active) resolve();
      });
      const forget = unit.whenAborted(() => {
        over();
        stop();
        const refusal = execution.refusal(unit);
        if (refusal !== undefined) reject(refusal);
      });
    });
  }

  now(): number {
    return this.#unit.now;
  }

  uuid(): string {
    const { scope, branch } = this.#unit;
    return deterministicId(this.runId, scope, ...(branch === 0 ? [] : [branch]), this.#unit.drawn++);
  }

  child(
    name: string,
    body: (context: RunContext) => Promise<BodyResult>,
    options: ChildOptions = {},
    seen?: Seen,
  ): Promise<UnitResult> {
    const makeContext = (unit: Unit): RunContext => new UnitContext(this.#execution, unit);
    return child(this.#execution, this.#unit, { name, body, options, makeContext, seen });
  }

  spawn(definition: Spawnable, input?: JsonValue, options: { readonly runId?: string } = {}): Promise<SpawnedRun> {
    return spawn(this.#execution, this, { definition, input, ...options });
  }

  onCancel(key: string, undo: (attempt: StepAttempt) => unknown): void {
    this.#unit.undos.push({ key, perform: undo });
  }

  emit(event: JsonValue): void {
    const [execution, unit] = [this.#execution, this.#unit];
    const ordinal = unit.nextOrdinal++;
    if (!unit.active || execution.slot(unit, ordinal, 'emit') !== undefined || execution.closed) return;
    const value = normalise(event);
    if (value !== undefined)
      execution.append<'emitted'>({ type: 'emitted', scope: unit.scope, ordinal, key: 'emit', data: { event: value } });
  }

  /** Writes what `why` and `what-if` read at an evaluation point. It rides with the next commit. */
  observe(observation: JsonObject): void {
    const [execution, unit] = [this.#execution, this.#unit];
    const ordinal = unit.nextOrdinal++;
    if (!unit.active || execution.slot(unit, ordinal, 'observe') !== undefined || execution.closed) return;
    execution.append<'observed'>({ type: 'observed', scope: unit.scope, ordinal, key: 'observe', data: observation });
  }

  /** Where later segments began, for `drive`. */
  openings(): readonly SegmentOpening[] {
    return this.segment === 1 ? [] : this.#execution.openingsOf(this.#unit.scope);
  }

  /** The place that the next operation will have. */
  get nextOrdinal(): number {
    return this.#unit.nextOrdinal;
  }

  /** No step that failed is tried again when a later segment takes this unit up. */
  letFailuresStand(): void {
    this.#unit.redo = undefined;
  }

  /** Works under a permit: it is given back while the unit waits for a person, and for good when the unit ends. */
  hold(permit: Permit): void {
    this.#unit.permit = permit;
    this.#unit.whenAborted(() => permit.release());
  }

  /** The state of the last checkpoint of this unit, if there is one; the unit then goes on behind it. */
  restoreCheckpoint(): JsonValue | undefined {
    const entry = this.#execution.checkpointOf(this.#unit.scope);
    if (entry === undefined) return undefined;
    const { state, ordinals, visits, drawn } = entry.data;
    this.#unit.goOn({ nextOrdinal: ordinals[this.#unit.scope] ?? 0, visits, drawn });
    this.#unit.see(entry.at);
    return state;
  }

  checkpoint(state: JsonValue): void {
    const [execution, unit] = [this.#execution, this.#unit];
    const ordinal = unit.nextOrdinal++;
    if (!unit.active || execution.slot(unit, ordinal, 'checkpoint') !== undefined || execution.closed) return;
    const data = {
      state,
      ordinals: { [unit.scope]: unit.nextOrdinal },
      visits: Object.fromEntries(unit.visits),
      drawn: unit.drawn,
    };
    execution.append<'checkpointed'>({ type: 'checkpointed', scope: unit.scope, ordinal, key: 'checkpoint', data });
  }
}

async function judged(callback: () => unknown): Promise<StepOutcome> {
  try {
    const value = normalise(await callback());
    return { ok: true, attempts: 1, ...(value !== undefined && { value }) };
  } catch (error) {
    return { ok: false, error: toErrorData(error), attempts: 1 };
  }
}
