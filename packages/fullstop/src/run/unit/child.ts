import type { EntryData, JournalEntry } from '../../engines/port/journal-entry.js';
import type { UnitUsage } from '../../engines/port/usage.js';
import { activeAt } from '../accounts/active-timeline.js';
import { checkUnit } from '../check-operation.js';
import { bodyFailure, toUnitResult } from '../ending/body-result.js';
import { concludeUnit } from '../ending/conclude.js';
import { finishUnit } from '../ending/finish-unit.js';
import { isInstance, RunCancelled } from '../errors.js';
import { checkLimits } from '../limits.js';
import { continueAfter } from '../replay/continue-after.js';
import { type DeadBranch, deadBranchesOf } from '../replay/dead-branch.js';
import { journalledCancel } from '../replay/journalled-cancel.js';
import { lastOf, type Slot } from '../replay/replay.js';
import { restoreUnit } from '../replay/restore-unit.js';
import { UnitPast } from '../replay/unit-past.js';
import type { BodyResult, ChildOptions, RunContext, UnitResult } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import type { OutcomeWatch } from './step-call.js';
import { type Beginning, watchTime } from './time-budget.js';
import { Unit } from './unit.js';
import { withdrawRequestsInside } from './wait.js';
import { waitForever } from './wait-forever.js';

interface ChildCall {
  readonly name: string;
  readonly body: (context: RunContext) => Promise<BodyResult>;
  readonly options: ChildOptions;
  makeContext(unit: Unit): RunContext;
  readonly watch?: UnitWatch | undefined;
}

/** How `drive` follows a unit and decides about it. */
export interface UnitWatch extends OutcomeWatch {
  /** Notified where in the journal the ending is, its time, and the ending itself. */
  ended(seq: number, at: number, result: UnitResult): void;
  /** Notified of the dead branches that its parent has after earlier attempts. */
  leavesDead(dead: readonly DeadBranch[]): void;
  /** True when it was stopped with its batch, and no resume continues it. */
  readonly isStoppedForGood: boolean;
  /** True when a unit is to be resumed although the journal holds its ending. */
  resumes(ended: JournalEntry<'unit_ended'>): boolean;
}

/** Runs a unit inside a unit, or returns the ending that the journal holds for it. */
export async function child(execution: Execution, parent: Unit, call: ChildCall): Promise<UnitResult> {
  checkCall(call);
  const ordinal = parent.nextOrdinal++;
  const visit = parent.visit(call.name);
  const { state, journal } = execution;
  const slot = journal.slot(parent.scope, ordinal, call.name);
  if (state.isOverFor(parent)) return waitForever();
  const past = new UnitPast(slot, visit);
  if (past.opened !== undefined) parent.see(past.opened.at);
  const { ended } = past;
  const again = past.isResumedIn(execution, parent) || isResumed(call, ended);
  const next = again ? journal.replay.nextOrdinal(parent.scope) : past.next;
  if (next !== undefined) call.watch?.leavesDead(deadAfter(slot, next, again));
  if (ended !== undefined && !again) return repeatEnding(execution, parent, { call, ordinal, past, ended });
  const refusal = state.refusalFor(parent);
  if (refusal !== undefined && past.opened === undefined) throw refusal;
  if (again || past.opened === undefined) {
    const opened = { name: call.name, attempt: past.attempts + 1 };
    openScope(execution, parent, { ordinal, data: next === undefined ? opened : { ...opened, next } });
  }
  const { name, body, options, makeContext, watch } = call;
  const scope = past.scopeOfNext;
  const unit = { name, body, options, makeContext, watch, scope, ordinal, past, ended: undefined };
  const result = await runUnit(execution, parent, unit);
  if (next !== undefined) continueAfter(journal.replay, parent, next);
  return result;
}

/** The dead branches after earlier attempts, and the one that resuming the last ending makes. */
function deadAfter(slot: Slot | undefined, next: number, again: boolean): readonly DeadBranch[] {
  const dead = deadBranchesOf(slot);
  const ended = again ? lastOf(slot, 'unit_ended') : undefined;
  return ended === undefined ? dead : [...dead, { after: ended.seq, before: Number.POSITIVE_INFINITY, next }];
}

/**
 * True for a unit that ended while its run was being cancelled, by an owner that died since. Its body is replayed, because only the body knows what
 * has to be undone.
 */
function wasUnwound(execution: Execution, { seq }: JournalEntry<'unit_ended'>): boolean {
  if (execution.state.cancelRequest === undefined) return false;
  const cancel = journalledCancel(execution.journal);
  return cancel !== undefined && cancel.seq < seq;
}

function isResumed({ watch }: ChildCall, ended: JournalEntry<'unit_ended'> | undefined): boolean {
  return ended !== undefined && watch?.resumes(ended) === true;
}

function checkCall({ name, body, options, watch }: ChildCall): void {
  // The names of built-in units are the business of their definitions.
  if (watch === undefined) checkUnit(name, body);
  if (options.limits !== undefined) checkLimits(options.limits, `The unit ${JSON.stringify(name)}`);
}

interface Opening {
  readonly ordinal: number;
  readonly data: EntryData['scope_opened'];
}

function openScope({ journal }: Execution, parent: Unit, { ordinal, data }: Opening): void {
  const { scope } = parent;
  const at = journal.append<'scope_opened'>({ type: 'scope_opened', scope, ordinal, key: data.name, data });
  // The time of a later attempt must not show in what the parent saw before that.
  if (data.attempt === 1) parent.see(at);
}

interface EndedUnit {
  readonly call: ChildCall;
  readonly ordinal: number;
  readonly past: UnitPast;
  readonly ended: JournalEntry<'unit_ended'>;
}

/** Hands over the ending that the journal holds. */
async function repeatEnding(execution: Execution, parent: Unit, unit: EndedUnit): Promise<UnitResult> {
  const { past, ended } = unit;
  const result = wasUnwound(execution, ended)
    ? await unwindAgain(execution, parent, unit)
    : await replayUnit(execution, parent, unit);
  if (past.next !== undefined) continueAfter(execution.journal.replay, parent, past.next);
  return result;
}

function unwindAgain(execution: Execution, parent: Unit, { call, ...unit }: EndedUnit): Promise<UnitResult> {
  const { name, body, options, makeContext, watch } = call;
  return runUnit(execution, parent, { name, body, options, makeContext, watch, scope: unit.past.scope, ...unit });
}

async function replayUnit(execution: Execution, parent: Unit, { call, ended }: EndedUnit): Promise<UnitResult> {
  call.watch?.found?.(ended.seq);
  await execution.delivery.reserve(ended.seq)();
  if (execution.state.isOverFor(parent)) return waitForever();
  parent.see(ended.at);
  const result = resultOf(ended);
  call.watch?.ended(ended.seq, ended.at, result);
  return result;
}

function resultOf({ data: { termination, also, output, used } }: JournalEntry<'unit_ended'>): UnitResult {
  return {
    termination,
    also: also ?? [],
    ...(output !== undefined && { output }),
    ...(used !== undefined && { used }),
  };
}

interface UnitCall extends ChildCall {
  readonly scope: string;
  readonly ordinal: number;
  readonly past: UnitPast;
  /** The ending that it has already: then it is not written again. */
  readonly ended: JournalEntry<'unit_ended'> | undefined;
}

function runUnit(execution: Execution, parent: Unit, call: UnitCall): Promise<UnitResult> {
  return new Promise((resolve, reject) => {
    const unit = new Unit({
      scope: call.scope,
      limits: execution.settings.limitsOf(call.scope, call.options.limits),
      parent,
      now: parent.now,
      endingBefore: call.past.endingBefore,
      finish: (result) => {
        const { delivery, rest } = execution;
        const {
          seq,
          at,
          result: written,
        } = writeEnding(execution, parent, { ...call, used: unit.ledger.used }, result);
        rest.check();
        const handOver = (): void => {
          if (!parent.active) return;
          parent.see(at);
          resolve(written);
        };
        const turn = call.watch === undefined ? delivery.reserve(seq) : delivery.reserveForFold(seq);
        call.watch?.ended(seq, at, written);
        if (turn === undefined) handOver();
        // A unit may be ended by a timer, and turns are asked for in microtasks.
        else void Promise.resolve().then(turn).then(handOver);
      },
    });
    restoreUnit(execution.journal, unit);
    const { timeMs, deadline } = unit.ledger.limits;
    if (timeMs !== undefined || deadline !== undefined)
      watchTime(execution, unit, beginningOf(execution, call.past.opened));
    void runBody(execution, unit, call).then(undefined, reject);
  });
}

/** Writes the ending of a unit, unless the journal has it already. */
function writeEnding(
  execution: Execution,
  parent: Unit,
  { scope, ordinal, name, ended, watch, used }: UnitCall & { readonly used: UnitUsage | undefined },
  result: UnitResult,
): { readonly seq: number; readonly at: number; readonly result: UnitResult } {
  if (ended !== undefined) return { seq: ended.seq, at: ended.at, result: resultOf(ended) };
  withdrawRequestsInside(execution, scope);
  const isStopped = watch?.isStoppedForGood === true;
  const concluded = concludeUnit({ execution, parent, ordinal, name, used, isStopped }, result);
  return { seq: execution.journal.lastSeq, at: concluded.at, result: concluded.result };
}

/** Runs the body of a unit to its ending; rejects only where the whole run is cancelled. */
async function runBody(execution: Execution, unit: Unit, { body, makeContext }: UnitCall): Promise<void> {
  let result: UnitResult;
  try {
    result = toUnitResult(await body(makeContext(unit)));
  } catch (error) {
    if (isInstance(error, RunCancelled) && execution.state.cancelRequest !== undefined) throw error;
    result = bodyFailure(error);
  }
  finishUnit(execution, unit, result);
}

/** When a unit began, in this execution or in an earlier one. */
function beginningOf(execution: Execution, opened: JournalEntry<'scope_opened'> | undefined): Beginning {
  if (opened === undefined) return { at: execution.engine.clock.now(), activeMs: execution.active.ms() };
  const { history } = execution.journal;
  return { at: opened.at, activeMs: activeAt(history.slice(0, history.indexOf(opened) + 1)) };
}
