import type { AbortSignalLike } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import type { JournalEntry } from '../../engines/port/journal-entry.js';
import type { ReceivedAnswer, RunRequest } from '../../engines/port/request.js';
import type { UnitUsage } from '../../engines/port/usage.js';
import { isOpen } from '../../termination/classify.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { isMarked, putMark } from '../../termination/errors/marked.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { ActiveTimeline } from '../accounts/active-timeline.js';
import type { Ledger } from '../accounts/ledger.js';
import { invalidWork, isKey } from '../check-operation.js';
import { spawnedKey } from '../journal/operation-key.js';
import type { RunLimits } from '../limits.js';
import { BatchJournal } from '../machine/batch-journal.js';
import type { SegmentOpening } from '../machine/machine.js';
import { openingsOf } from '../replay/openings.js';
import type { Slot } from '../replay/replay.js';
import type {
  BodyResult,
  ChildOptions,
  RunContext,
  Spawnable,
  SpawnedRun,
  SpawnOptions,
  StepAttempt,
  StepOptions,
  UnitResult,
} from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import { child, type UnitWatch } from './child.js';
import { deterministicId } from './deterministic-id.js';
import { endUnit, holdAtLimit } from './end-unit.js';
import { normalise } from './normalise.js';
import type { Permit } from './permits.js';
import { record } from './record.js';
import { runSpawned } from './run-spawned.js';
import { type SleepWatch, sleep } from './sleep.js';
import { cancelOne, spawn } from './spawn.js';
import { step } from './step.js';
import type { Seen, StepWatch } from './step-call.js';
import type { LimitListener, Unit } from './unit.js';
import { wait, withdrawRequest } from './wait.js';

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

  /** The id that everything random in the run is derived from: its own, or that of the run that it was first forked from. */
  get seed(): string {
    return this.#execution.lineage.seed;
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

  get ledger(): Ledger {
    return this.#unit.ledger;
  }

  step<T>(
    key: string,
    effect: (attempt: StepAttempt) => T | Promise<T>,
    options?: StepOptions,
    watch?: StepWatch,
  ): Promise<T> {
    // Looking at a key again would cost a step as much as looking it up.
    const isKnown = watch?.isJson === true || isKey(key);
    if (!isKnown || typeof effect !== 'function') return Promise.reject(invalidWork('step', key, effect));
    const result = step(this.#execution, this.#unit, { key, effect, options, watch }) as Promise<T>;
    return watch === undefined ? allowLateAwait(result) : result;
  }

  record<T>(key: string, callback: () => T | Promise<T>, seen?: Seen): Promise<T> {
    if (!isKey(key) || typeof callback !== 'function') return Promise.reject(invalidWork('record', key, callback));
    const result = record(this.#execution, this.#unit, { key, callback, seen }) as Promise<T>;
    return seen === undefined ? allowLateAwait(result) : result;
  }

  wait(request: RunRequest, seen?: Seen): Promise<ReceivedAnswer> {
    const answer = wait(this.#execution, this.#unit, { request, seen });
    return seen === undefined ? allowLateAwait(answer) : answer;
  }

  sleep(key: string, milliseconds: number, watch?: SleepWatch): Promise<void> {
    const slept = sleep(this.#execution, this.#unit, { key, milliseconds, watch });
    return watch === undefined ? allowLateAwait(slept) : slept;
  }

  now(): number {
    return this.#unit.now;
  }

  uuid(): string {
    const { scope, branch, nextOrdinal } = this.#unit;
    const runId = this.#execution.lineage.runAt(scope, nextOrdinal);
    return deterministicId(runId, scope, ...(branch === 0 ? [] : [branch]), this.#unit.drawn++);
  }

  child(
    name: string,
    body: (context: RunContext) => Promise<BodyResult>,
    options: ChildOptions = {},
    watch?: UnitWatch,
  ): Promise<UnitResult> {
    const makeContext = (unit: Unit): RunContext => new UnitContext(this.#execution, unit);
    const result = child(this.#execution, this.#unit, { name, body, options, makeContext, watch });
    return watch === undefined ? allowLateAwait(result) : result;
  }

  spawn(definition: Spawnable, input?: JsonValue, options: SpawnOptions = {}): Promise<SpawnedRun> {
    const { runId, spawn: place } = options;
    const call = { definition, input, toQueue: place === 'queue', ...(runId !== undefined && { runId }) };
    return allowLateAwait(spawn(this.#execution, this, call));
  }

  /** Runs a definition as a run of its own, on a queue where the engine has queues. Its ending is to be that of this unit. */
  runSpawned(definition: Spawnable, input: JsonValue, limits: RunLimits = {}): Promise<Envelope> {
    return runSpawned(this.#execution, { unit: this.#unit, context: this }, { definition, input, limits });
  }

  /** A step that only starts other runs or waits for them. */
  stepElsewhere<T>(key: string, effect: (attempt: StepAttempt) => Promise<T>): Promise<T> {
    const { rest } = this.#execution;
    const counted = async (attempt: StepAttempt): Promise<T> => {
      const done = rest.beginElsewhere();
      try {
        return await effect(attempt);
      } finally {
        done();
      }
    };
    const call = { key, effect: counted, isElsewhere: true };
    return allowLateAwait(step(this.#execution, this.#unit, call) as Promise<T>);
  }

  /** Remembers a run that was spawned, so that a cancellation reaches it. */
  noteSpawned(runId: string, name: string): void {
    const execution = this.#execution;
    execution.spawned.add(runId);
    if (execution.state.cancelRequest !== undefined) cancelOne(execution, runId);
    const key = spawnedKey(runId);
    const ordinal = this.#takeOrdinal(key);
    if (ordinal === undefined) return;
    const place = { scope: this.#unit.scope, ordinal, key };
    execution.journal.append<'child_spawned'>({ type: 'child_spawned', ...place, data: { runId, name } });
  }

  onCancel(key: string, undo: (attempt: StepAttempt) => unknown): void {
    if (!isKey(key) || typeof undo !== 'function') throw invalidWork('onCancel', key, undo);
    this.#unit.undos.push({ key, perform: undo });
  }

  emit(event: JsonValue): void {
    const ordinal = this.#takeOrdinal('emit');
    if (ordinal === undefined) return;
    const value = normalise(event);
    if (value === undefined) return;
    const place = { scope: this.#unit.scope, ordinal, key: 'emit' };
    this.#execution.journal.append<'emitted'>({ type: 'emitted', ...place, data: { event: value } });
  }

  /** Journals what `why` and `what-if` read at an evaluation point. It shares the next commit. */
  observe(observation: JsonObject): void {
    const ordinal = this.#takeOrdinal('observe');
    if (ordinal === undefined) return;
    const { journal } = this.#execution;
    // It belongs to what was observed, and is from the same time.
    const { lastAt: at } = journal;
    journal.append<'observed'>({
      type: 'observed',
      scope: this.#unit.scope,
      ordinal,
      key: 'observe',
      at,
      data: observation,
    });
  }

  /** The place of a note, which has no result; undefined where it is not to be written, because the journal has it. */
  #takeOrdinal(key: string): number | undefined {
    const { journal, state } = this.#execution;
    const { scope, active } = this.#unit;
    const ordinal = this.#unit.nextOrdinal++;
    return !active || journal.slot(scope, ordinal, key) !== undefined || state.closed ? undefined : ordinal;
  }

  /** The batches of a machine in the journal, for `drive`. */
  get batches(): BatchJournal {
    return new BatchJournal(this.#execution, this.#unit);
  }

  /** True when this unit or an ancestor has ended. */
  get ended(): boolean {
    return !this.#unit.active;
  }

  /** What this unit has used so far; undefined while that is nothing. */
  get used(): UnitUsage | undefined {
    return this.#unit.ledger.used;
  }

  /** Ends this unit before its next step once it has cost so much, within the limits that it has anyway. */
  limitCost(costUsd: number): void {
    const { ledger } = this.#unit;
    ledger.limits = { ...ledger.limits, costUsd: Math.min(costUsd, ledger.limits.costUsd ?? costUsd) };
  }

  /**
   * Calls back when this unit is stopped from outside, where its body never hears of it: with its ending once that is durable,
   * or with nothing where it has none. Returns what removes the listener.
   */
  whenStopped(tell: (ending: AnyTermination | undefined) => void): () => void {
    const unit = this.#unit;
    const { journal } = this.#execution;
    return unit.whenAborted(() => {
      // Its ending is written after what runs inside was aborted.
      void Promise.resolve().then(async () => {
        const isDurable = unit.termination !== undefined && (await journal.commit());
        tell(isDurable ? unit.termination : undefined);
      });
    });
  }

  /** From now on models without a known price are refused in this unit, because of a budget that could never be reached. */
  requirePrices(budgetUsd: number): void {
    this.#unit.pricedBudget = budgetUsd;
  }

  /** The budget of this unit or of one around it that models without a known price are refused for. */
  get pricedBudget(): number | undefined {
    for (let unit: Unit | undefined = this.#unit; unit !== undefined; unit = unit.parent)
      if (unit.pricedBudget !== undefined) return unit.pricedBudget;
    return undefined;
  }

  /** True when nothing is left to do in this unit until a person answers. */
  get waits(): boolean {
    return this.#unit.waits;
  }

  /** True while an operation or a sleep of this unit, or inside it, is under way. */
  get busy(): boolean {
    return this.#unit.busy;
  }

  /** Asks the listener, whenever everything that is ready has run, whether it continues with what is there. */
  onLull(listener: () => boolean): () => void {
    return this.#execution.rest.onLull(listener);
  }

  /** Withdraws a request of this unit. */
  withdraw(requestId: string): void {
    withdrawRequest(this.#execution, requestId);
  }

  /** To be called by a listener that was woken and found nothing to do. */
  checkRest(): void {
    this.#execution.rest.check();
  }

  /** Makes what was written durable, without waiting for it: whoever finds the run after a crash sees what was at work. */
  commitMeanwhile(): void {
    if (!this.#execution.state.closed) void this.#execution.journal.commit();
  }

  /** True when this unit has journalled something. */
  get hasEntries(): boolean {
    return this.#execution.journal.replay.hasEntries(this.#unit.scope);
  }

  /** Ends the unit as stopped by its parent. */
  stop(cause: AnyTermination): void {
    endUnit(this.#unit, terminations.cancelled({ by: 'parent', cause }));
  }

  /** Asks a machine before a limit of this unit, or of one around it, ends the unit. */
  onLimit(listener: LimitListener): void {
    this.#unit.limitListener = listener;
  }

  /** Lets this unit come to its end by itself although a limit is reached, but not for long. */
  holdAt(limit: AnyTermination, also: readonly AnyTermination[]): void {
    holdAtLimit(this.#execution, this.#unit, { limit, also });
  }

  /** The limit that it has outlasted. */
  get heldAt(): AnyTermination | undefined {
    return this.#unit.heldAt;
  }

  /** Ends the unit at that limit after all. */
  endHeld(also: readonly AnyTermination[]): void {
    const { heldAt } = this.#unit;
    if (heldAt !== undefined) endUnit(this.#unit, heldAt, also);
  }

  /** The options that the run was started with. */
  get startOptions(): JsonObject {
    const [first] = this.#execution.journal.history;
    return (first?.type === 'run_started' ? first.data.options : undefined) ?? {};
  }

  /** Where later segments began, for `drive`. */
  openings(): readonly SegmentOpening[] {
    return this.segment === 1 ? [] : openingsOf(this.#execution.journal.history, this.#unit.scope);
  }

  /** True for the ending of an earlier segment that a resume may continue. */
  mayContinue({ segment, data }: JournalEntry<'unit_ended'>): boolean {
    return segment < this.segment && isOpen(data.termination, this.#execution.settings.registry);
  }

  /** When the run was at work, for `drive`. */
  get timeline(): ActiveTimeline {
    return this.#execution.active.timeline;
  }

  /** The place that the next operation will have. */
  get nextOrdinal(): number {
    return this.#unit.nextOrdinal;
  }

  /** The last place that the journal of earlier executions holds for this unit, for `drive`. */
  get lastOrdinal(): number {
    return this.#execution.journal.replay.nextOrdinal(this.#unit.scope) - 1;
  }

  /** The entries of earlier executions at a place of this unit, for `drive`. */
  slotAt(ordinal: number): Slot | undefined {
    return this.#execution.journal.replay.slot(this.#unit.scope, ordinal);
  }

  /** No step that failed is tried again when a later segment resumes this unit. */
  letFailuresStand(): void {
    this.#unit.redo = undefined;
  }

  /** Causes that would end the run at a point where it pauses; inside a run, they concern the unit alone. */
  keepCauses(causes: readonly AnyTermination[] = []): void {
    if (this.#unit === this.#execution.root) this.#execution.requests.causes = causes;
  }

  /** Works under a permit: it is returned while the unit waits for a person, and for good when the unit ends. */
  hold(permit: Permit): void {
    this.#unit.permit = permit;
    this.#unit.whenAborted(() => permit.release());
  }
}

export function asUnitContext(context: RunContext): UnitContext {
  if (context instanceof UnitContext) return context;
  throw new FullstopError('INTERNAL_DEFECT', 'drive needs the context that a run passes to its body.');
}

/** A body may await an operation long after it has failed: until then that is no unhandled rejection. */
function allowLateAwait<T>(operation: Promise<T>): Promise<T> {
  operation.then(undefined, ignore);
  return operation;
}

function ignore(): void {
  // Whoever awaits the operation gets its failure.
}
