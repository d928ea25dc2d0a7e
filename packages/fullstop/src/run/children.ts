import type { JournalEntry } from '../engines/port/journal-entry.js';
import { activeAt } from './active-time.js';
import { bodyFailure, toUnitResult } from './body-result.js';
import { concludeUnit } from './conclude.js';
import { isInstance, RunCancelled } from './errors.js';
import type { Execution } from './execution.js';
import { finishUnit } from './finish-unit.js';
import { goOnBehind } from './go-on-behind.js';
import { checkLimits } from './limits.js';
import { never } from './never.js';
import type { BodyResult, ChildOptions, RunContext, UnitResult } from './run-context.js';
import { watchTime } from './time-budget.js';
import { Unit } from './unit.js';
import { UnitPast } from './unit-past.js';

interface ChildCall {
  readonly name: string;
  readonly body: (context: RunContext) => Promise<BodyResult>;
  readonly options: ChildOptions;
  makeContext(unit: Unit): RunContext;
  /** Told where in the journal the ending stands. */
  readonly seen?: ((seq: number) => void) | undefined;
}

/** Runs a unit inside a unit, or gives the ending that the journal holds for it. */
export async function child(execution: Execution, parent: Unit, call: ChildCall): Promise<UnitResult> {
  checkLimits(call.options.limits ?? {}, `The unit ${JSON.stringify(call.name)}`);
  const ordinal = parent.nextOrdinal++;
  const visit = parent.visit(call.name);
  const slot = execution.slot(parent, ordinal, call.name);
  if (execution.closed || !parent.active) return never();
  const past = new UnitPast(slot, visit);
  if (past.openedAt !== undefined) parent.see(past.openedAt);
  const again = past.ended !== undefined && past.isTakenUpBy(execution, parent);
  if (past.ended !== undefined && !again)
    return stands(execution, parent, { past, ended: past.ended, seen: call.seen });
  const refusal = execution.refusal(parent);
  if (refusal !== undefined && past.opened === undefined) throw refusal;
  let { next } = past;
  if (again || past.opened === undefined) {
    if (again) next = execution.replay.nextOrdinal(parent.scope);
    const data = { name: call.name, attempt: past.attempts + 1, ...(next !== undefined && { next }) };
    const place = { scope: parent.scope, ordinal, key: call.name } as const;
    parent.see(execution.append<'scope_opened'>({ type: 'scope_opened', ...place, data }));
  }
  const result = await runUnit(execution, parent, { ...call, ordinal, past, scope: past.scopeOfNext });
  if (next !== undefined) goOnBehind(execution, parent, next);
  return result;
}

interface Standing {
  readonly past: UnitPast;
  readonly ended: JournalEntry<'unit_ended'>;
  readonly seen: ChildCall['seen'];
}

async function stands(execution: Execution, parent: Unit, { past, ended, seen }: Standing): Promise<UnitResult> {
  await execution.delivery.reserve(ended.seq)();
  if (execution.closed || !parent.active) return never();
  parent.see(ended.at);
  seen?.(ended.seq);
  if (past.next !== undefined) goOnBehind(execution, parent, past.next);
  const { termination, also, output } = ended.data;
  return { termination, also: also ?? [], ...(output !== undefined && { output }) };
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
        const concluded = concludeUnit({ execution, parent, ordinal: call.ordinal, name: call.name }, result);
        call.seen?.(execution.lastSeq);
        const handOver = (): void => {
          if (!parent.active) return;
          parent.see(concluded.at);
          resolve(concluded.result);
        };
        const { delivery, lastSeq } = execution;
        // `drive` folds by place, so it needs no turns; the branches of another body do.
        const turn = call.seen === undefined ? delivery.reserve(lastSeq) : execution.turnOf(lastSeq, 0);
        if (turn === undefined) handOver();
        else void turn().then(handOver);
      },
    });
    execution.restore(unit);
    watchTime(execution, unit, activeAtOpening(execution, call.past.opened));
    startBody(call, unit).then(
      (value) => finishUnit(execution, unit, toUnitResult(value)),
      (error: unknown) => {
        if (isInstance(error, RunCancelled) && execution.cancelRequest !== undefined) reject(error);
        else finishUnit(execution, unit, bodyFailure(error));
      },
    );
  });
}

/** Asynchronous, so that a body that throws before its first await rejects like any other. */
async function startBody(call: UnitCall, unit: Unit): Promise<BodyResult> {
  return call.body(call.makeContext(unit));
}

/** The active time of the run when a unit began, in this execution or in an earlier one. */
function activeAtOpening(execution: Execution, opened: JournalEntry<'scope_opened'> | undefined): number {
  return opened === undefined ? execution.active.ms() : activeAt(execution.historyUpTo(opened));
}
