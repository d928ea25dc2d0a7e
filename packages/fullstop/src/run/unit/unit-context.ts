import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { StepOutcome } from '../../engines/port/journal-entry.js';
import type { ReceivedAnswer, Request } from '../../engines/port/request.js';
import { invalidOption } from '../../stop/check-option.js';
import { FullstopError } from '../../termination/fullstop-error.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { isMarked, putMark } from '../../termination/marked.js';
import { terminations } from '../../termination/terminations.js';
import { toErrorData } from '../../termination/to-error-data.js';
import type { ActiveTimeline } from '../accounts/active-timeline.js';
import type { LedgerView } from '../accounts/ledger.js';
import { invalidWork } from '../check-operation.js';
import { BatchJournal } from '../machine/batch-journal.js';
import type { SegmentOpening } from '../machine/machine.js';
import { lastOf } from '../replay/replay.js';
import type {
  BodyResult,
  ChildOptions,
  RunContext,
  Spawnable,
  SpawnedRun,
  StepAttempt,
  StepOptions,
  UnitResult,
} from '../run-context.js';
import type { Turn } from '../segment/delivery.js';
import type { Execution } from '../segment/execution.js';
import { child, type UnitWatch } from './child.js';
import { deterministicId } from './deterministic-id.js';
import { never } from './never.js';
import { normalise } from './normalise.js';
import type { Permit } from './permits.js';
import { sleepUntil } from './sleep-until.js';
import { cancelOne, spawn } from './spawn.js';
import { settle, step } from './step.js';
import type { Seen, StepWatch } from './step-call.js';
import type { Stopping } from './stopping.js';
import type { Unit } from './unit.js';

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
    watch?: StepWatch,
  ): Promise<T> {
    if (typeof key !== 'string' || typeof effect !== 'function')
      return Promise.reject(invalidWork('step', key, effect));
    let result: unknown;
    try {
      result = step(this.#execution, this.#unit, { key, effect, options, watch });
    } catch (error) {
      result = Promise.reject(error);
    }
    const settling = (result instanceof Promise ? result : Promise.resolve(result)) as Promise<T>;
    return watch === undefined ? awaitedLater(settling) : settling;
  }

  record<T>(key: string, callback: () => T | Promise<T>, seen?: Seen): Promise<T> {
    if (typeof key !== 'string' || typeof callback !== 'function')
      return Promise.reject(invalidWork('record', key, callback));
    const result = this.#record(key, callback, seen);
    return seen === undefined ? awaitedLater(result) : result;
  }

  async #record<T>(key: string, callback: () => T | Promise<T>, seen?: Seen): Promise<T> {
    const [execution, unit] = [this.#execution, this.#unit];
    const ordinal = unit.nextOrdinal++;
    const slot = execution.slot(unit, ordinal, key);
    if (execution.closed || !unit.active) return never();
    const recorded = lastOf(slot, 'recorded');
    if (recorded !== undefined) {
      await execution.delivery.reserve(recorded.seq)();
      if (execution.closed || !unit.active) return never();
      unit.see(recorded.at);
      seen?.(recorded.seq, recorded.at);
      return settle(key, recorded.data) as T;
    }
    execution.begin(unit);
    try {
      const outcome = execution.seal(await judged(callback));
      if (execution.closed || !unit.active) return never();
      // Not flushed: it rides with the next commit, and is asked again only if nothing later was journalled.
      const at = execution.append<'recorded'>({ type: 'recorded', scope: unit.scope, ordinal, key, data: outcome });
      seen?.(execution.lastSeq, at);
      const { delivery, lastSeq } = execution;
      const turn = seen === undefined ? delivery.reserve(lastSeq) : execution.turnOf(lastSeq, 1, unit);
      if (await this.#handedOver(at, 1, turn)) return settle(key, outcome) as T;
      return never();
    } finally {
      execution.done(unit);
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
    const answer = this.#execution.waits.wait(this.#unit, request, seen);
    return seen === undefined ? awaitedLater(answer) : answer;
  }

  sleep(key: string, milliseconds: number, seen?: Seen, stopping?: Stopping): Promise<void> {
    const slept = this.#sleep(key, milliseconds, seen, stopping);
    return seen === undefined ? awaitedLater(slept) : slept;
  }

  async #sleep(key: string, milliseconds: number, seen?: Seen, stopping?: Stopping): Promise<void> {
    // A clock that is asked for no instant would wait for ever.
    if (!Number.isFinite(milliseconds))
      throw invalidOption(milliseconds, { builder: `sleep(${key})`, option: 'milliseconds' }, 'a number');
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
      seen?.(ended.seq, ended.at);
      return;
    }
    const refusal = execution.refusal(unit);
    if (refusal !== undefined) throw refusal;
    const place = { scope: unit.scope, ordinal, key } as const;
    let until = started?.data.until;
    if (until === undefined) {
      until = execution.engine.clock.now() + Math.max(0, milliseconds);
      execution.begin(unit);
      unit.see(execution.append<'sleep_started'>({ type: 'sleep_started', ...place, data: { until } }));
      const going = await execution.commit();
      execution.done(unit);
      if (!going) return never();
    }
    await sleepUntil(execution, unit, until, stopping);
    const at = execution.append<'sleep_ended'>({ type: 'sleep_ended', ...place, data: { until } });
    seen?.(execution.lastSeq, at);
    if (!(await this.#handedOver(at, 0, execution.turnOf(execution.lastSeq, 0)))) return never();
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
    watch?: UnitWatch,
  ): Promise<UnitResult> {
    const makeContext = (unit: Unit): RunContext => new UnitContext(this.#execution, unit);
    const result = child(this.#execution, this.#unit, { name, body, options, makeContext, watch });
    return watch === undefined ? awaitedLater(result) : result;
  }

  spawn(definition: Spawnable, input?: JsonValue, options: { readonly runId?: string } = {}): Promise<SpawnedRun> {
    return awaitedLater(spawn(this.#execution, this, { definition, input, ...options }));
  }

  /** Remembers a run that was spawned, so that a cancellation reaches it. */
  noteSpawned(runId: string, name: string): void {
    const [execution, unit] = [this.#execution, this.#unit];
    execution.spawned.add(runId);
    if (execution.cancelRequest !== undefined) cancelOne(execution, runId);
    const ordinal = unit.nextOrdinal++;
    const key = `spawned:${runId}`;
    if (!unit.active || execution.slot(unit, ordinal, key) !== undefined || execution.closed) return;
    execution.append<'child_spawned'>({
      type: 'child_spawned',
      scope: unit.scope,
      ordinal,
      key,
      data: { runId, name },
    });
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
    // It belongs to what was observed, and is from the same time.
    const { scope } = unit;
    const at = execution.lastAt;
    execution.append<'observed'>({ type: 'observed', scope, ordinal, key: 'observe', at, data: observation });
  }

  /** The batches of a machine in the journal, for `drive`. */
  get batches(): BatchJournal {
    return new BatchJournal(this.#execution, this.#unit);
  }

  /** True when this unit, or one around it, has come to its ending. */
  get ended(): boolean {
    return !this.#unit.active;
  }

  /** True when nothing is left to do in this unit until a person answers. */
  get waits(): boolean {
    return this.#unit.waits;
  }

  /** True while an operation or a sleep of this unit, or inside it, is under way. */
  get busy(): boolean {
    return this.#unit.busy;
  }

  /** Asks the listener, whenever everything that is ready has run, whether it goes on with what is there. */
  onLull(listener: () => boolean): () => void {
    return this.#execution.onLull(listener);
  }

  /** To be called by one who has been waked and found nothing to do. */
  checkRest(): void {
    this.#execution.checkRest();
  }

  /** True when this unit has written something. */
  get hasEntries(): boolean {
    return this.#execution.replay.hasEntries(this.#unit.scope);
  }

  /** Ends the unit as stopped by the one around it. */
  stop(cause: AnyTermination): void {
    this.#execution.endUnit(this.#unit, terminations.cancelled({ by: 'parent', cause }));
  }

  /** Where later segments began, for `drive`. */
  openings(): readonly SegmentOpening[] {
    return this.segment === 1 ? [] : this.#execution.openingsOf(this.#unit.scope);
  }

  /** When the run was at work, for `drive`. */
  get timeline(): ActiveTimeline {
    return this.#execution.active.timeline;
  }

  /** The place that the next operation will have. */
  get nextOrdinal(): number {
    return this.#unit.nextOrdinal;
  }

  /** No step that failed is tried again when a later segment takes this unit up. */
  letFailuresStand(): void {
    this.#unit.redo = undefined;
  }

  /** What would end the run at a point where it pauses; inside, it is the business of the unit alone. */
  keepCauses(causes: readonly AnyTermination[] = []): void {
    if (this.#unit === this.#execution.root) this.#execution.waits.causes = causes;
  }

  /** Works under a permit: it is given back while the unit waits for a person, and for good when the unit ends. */
  hold(permit: Permit): void {
    this.#unit.permit = permit;
    this.#unit.whenAborted(() => permit.release());
  }
}

export function asUnitContext(context: RunContext): UnitContext {
  if (context instanceof UnitContext) return context;
  throw new FullstopError('INVALID_OPTION', 'drive needs the context that a run gives to its body.');
}

async function judged(callback: () => unknown): Promise<StepOutcome> {
  try {
    const value = normalise(await callback());
    return { ok: true, attempts: 1, ...(value !== undefined && { value }) };
  } catch (error) {
    return { ok: false, error: toErrorData(error), attempts: 1 };
  }
}

/** A body may await an operation long after it has failed: until then that is no unhandled rejection. */
function awaitedLater<T>(operation: Promise<T>): Promise<T> {
  operation.then(undefined, () => undefined);
  return operation;
}
