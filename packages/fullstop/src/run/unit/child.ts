import type { EntryData, JournalEntry } from '../../engines/port/journal-entry.js';
import { activeAt } from '../accounts/active-timeline.js';
import { checkUnit } from '../check-operation.js';
import { bodyFailure, toUnitResult } from '../ending/body-result.js';
import { concludeUnit } from '../ending/conclude.js';
import { finishUnit } from '../ending/finish-unit.js';
import { isInstance, RunCancelled } from '../errors.js';
import { checkLimits } from '../limits.js';
import { goOnBehind } from '../replay/continue-after.js';
import { type DeadBranch, deadBranchesOf } from '../replay/dead-branch.js';
import { lastOf, type Slot } from '../replay/replay.js';
import { UnitPast } from '../replay/unit-past.js';
import type { BodyResult, ChildOptions, RunContext, UnitResult } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import { never } from './never.js';
import { type Beginning, watchTime } from './time-budget.js';
import { Unit } from './unit.js';

interface ChildCall {
  readonly name: string;
  readonly body: (context: RunContext) => Promise<BodyResult>;
  readonly options: ChildOptions;
  makeContext(unit: Unit): RunContext;
  readonly watch?: UnitWatch | undefined;
}

/** What `drive` wants to know and to decide about a unit. */
export interface UnitWatch {
  /** Told where in the journal the ending stands, from when it is, and what it is. */
  ended(seq: number, at: number, result: UnitResult): void;
  /** Told what the unit around did behind earlier attempts, if that is dead. */
  leavesBehind(dead: readonly DeadBranch[]): void;
  /** True when an ending that stands in the journal is to be taken up again. */
  takesUp(ended: JournalEntry<'unit_ended'>): boolean;
}

/** Runs a unit inside a unit, or gives the ending that the journal holds for it. */
export async function child(execution: Execution, parent: Unit, call: ChildCall): Promise<UnitResult> {
  checkCall(call);
  const ordinal = parent.nextOrdinal++;
  const visit = parent.visit(call.name);
  const slot = execution.slot(parent, ordinal, call.name);
  if (execution.closed || !parent.active) return never();
  const past = new UnitPast(slot, visit);
  if (past.opened !== undefined) parent.see(past.opened.at);
  const { ended } = past;
  const again = past.isTakenUpBy(execution, parent) || isTakenUp(call, ended);
  const next = again ? execution.replay.nextOrdinal(parent.scope) : past.next;
  if (next !== undefined) call.watch?.leavesBehind(deadBehind(slot, next, again));
  if (ended !== undefined && !again) return stands(execution, parent, { past, ended, watch: call.watch });
  const refusal = execution.refusal(parent);
  if (refusal !== undefined && past.opened === undefined) throw refusal;
  if (again || past.opened === undefined) {
    const data = { name: call.name, attempt: past.attempts + 1, ...(next !== undefined && { next }) };
    openScope(execution, parent, { ordinal, data });
  }
  const { name, body, options, makeContext, watch } = call;
  const place = { scope: past.scopeOfNext, ordinal, past };
  const result = await runUnit(execution, parent, { name, body, options, makeContext, watch, ...place });
  if (next !== undefined) goOnBehind(execution, parent, next);
  return result;
}

/** The branches that earlier attempts have left behind, and the one that is left now by taking up the last ending. */
function deadBehind(slot: Slot | undefined, next: number, again: boolean): readonly DeadBranch[] {
  const dead = deadBranchesOf(slot);
  const ended = again ? lastOf(slot, 'unit_ended') : undefined;
  return ended === undefined ? dead : [...dead, { after: ended.seq, before: Number.POSITIVE_INFINITY, next }];
}

function isTakenUp({ watch }: ChildCall, ended: JournalEntry<'unit_ended'> | undefined): boolean {
  return ended !== undefined && watch?.takesUp(ended) === true;
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

function openScope(execution: Execution, parent: Unit, { ordinal, data }: Opening): void {
  const place = { scope: parent.scope, ordinal, key: data.name } as const;
  const at = execution.append<'scope_opened'>({ type: 'scope_opened', ...place, data });
  // The time of a later attempt must not show in what the unit around saw before that.
  if (data.attempt === 1) parent.see(at);
}

interface Standing {
  readonly past: UnitPast;
  readonly ended: JournalEntry<'unit_ended'>;
  readonly watch: UnitWatch | undefined;
}

async function stands(execution: Execution, parent: Unit, { past, ended, watch }: Standing): Promise<UnitResult> {
  await execution.delivery.reserve(ended.seq)();
  if (execution.closed || !parent.active) return never();
  parent.see(ended.at);
  const { termination, also, output } = ended.data;
  const result = { termination, also: also ?? [], ...(output !== undefined && { output }) };
  watch?.ended(ended.seq, ended.at, result);
  if (past.next !== undefined) goOnBehind(execution, parent, past.next);
  return result;
}

interface UnitCall extends ChildCall {
  readonly scope: string;
  readonly ordinal: number;
  readonly past: UnitPast;
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
        execution.waits.withdrawInside(call.scope);
        const concluded = concludeUnit({ execution, parent, ordinal: call.ordinal, name: call.name }, result);
        const { delivery, lastSeq } = execution;
        execution.checkRest();
        const handOver = (): void => {
          if (!parent.active) return;
          parent.see(concluded.at);
          resolve(concluded.result);
        };
        // `drive` folds by place, so it needs no turns; the branches of another body do.
        const turn = call.watch === undefined ? delivery.reserve(lastSeq) : execution.turnOf(lastSeq, 0, parent);
        call.watch?.ended(lastSeq, concluded.at, concluded.result);
        if (turn === undefined) handOver();
        else void turn().then(handOver);
      },
    });
    execution.restore(unit);
    const { timeMs, deadline } = unit.ledger.limits;
    if (timeMs !== undefined || deadline !== undefined)
      watchTime(execution, unit, beginningOf(execution, call.past.opened));
    void runBody(execution, unit, call).then(undefined, reject);
  });
}

/** Runs the body of a unit to its ending; rejects only where the whole run is cancelled. */
async function runBody(execution: Execution, unit: Unit, { body, makeContext }: UnitCall): Promise<void> {
  let result: UnitResult;
  try {
    result = toUnitResult(await body(makeContext(unit)));
  } catch (error) {
    if (isInstance(error, RunCancelled) && execution.cancelRequest !== undefined) throw error;
    result = bodyFailure(error);
  }
  finishUnit(execution, unit, result);
}

/** When a unit began, in this execution or in an earlier one. */
function beginningOf(execution: Execution, opened: JournalEntry<'scope_opened'> | undefined): Beginning {
  if (opened === undefined) return { at: execution.engine.clock.now(), activeMs: execution.active.ms() };
  return { at: opened.at, activeMs: activeAt(execution.historyUpTo(opened)) };
}
