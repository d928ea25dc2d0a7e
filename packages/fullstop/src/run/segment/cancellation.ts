import type { CancelRequest } from '../../engines/port/journal-entry.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import { finishUnit } from '../ending/finish-unit.js';
import { StepFailed } from '../errors.js';
import { undoScope } from '../journal/scope-path.js';
import { journalledCancel } from '../replay/journalled-cancel.js';
import type { UnitResult } from '../run-context.js';
import { endUnit } from '../unit/end-unit.js';
import { cancelSpawned } from '../unit/spawn.js';
import { step } from '../unit/step.js';
import { type Undo, Unit } from '../unit/unit.js';
import type { Execution } from './execution.js';

/** Settles when the body of a cancelled run has returned, with its result if it did not throw. */
export type Unwinding = Promise<UnitResult | undefined>;

/** Begins to cancel a run: everything that waits is notified, the body unwinds within the grace, then its undo steps run. */
export function beginCancel(execution: Execution, request: CancelRequest, bodySettled: Unwinding): void {
  const { state, journal, root } = execution;
  if (state.cancelRequest !== undefined && request.hard !== true) return;
  state.cancelRequest = request;
  if (journalledCancel(journal) === undefined)
    journal.append<'cancel_requested'>({ type: 'cancel_requested', scope: '', ordinal: -1, data: request });
  cancelSpawned(execution);
  if (request.hard === true) {
    endUnit(root, makeCancelledEnding(request));
    return;
  }
  root.abort(state.refusalFor(root));
  void unwind(execution, request, bodySettled);
}

async function unwind(execution: Execution, request: CancelRequest, bodySettled: Unwinding): Promise<void> {
  const returned = await withinGrace(execution, bodySettled);
  const undoing: Undoing = { left: undosOf(execution), failures: [] };
  // A body that hangs must not take the time of its undo steps.
  await withinGrace(execution, undoAll(execution, undoing));
  const failures = [...undoing.failures, ...undoing.left.map(({ undo }) => makeUnfinishedEnding(undo.key))];
  // Cancelled wins over what the body returned, but nothing of that is lost.
  const lost = returned === undefined || returned.termination.kind === 'cancelled' ? [] : [returned.termination];
  const also = [...lost, ...(returned?.also ?? []), ...failures];
  const output = returned?.output;
  finishUnit(execution, execution.root, {
    termination: makeCancelledEnding(request),
    also,
    ...(output !== undefined && { output }),
  });
}

/** The result of some work, if it arrives in time. */
async function withinGrace<T>(execution: Execution, work: Promise<T>): Promise<T | undefined> {
  const { clock } = execution.engine;
  let stop: () => void = () => undefined;
  const graceOver = new Promise<undefined>((resolve) => {
    stop = clock.callAt(clock.now() + execution.settings.graceMs, () => resolve(undefined));
    execution.onClose(() => stop());
  });
  try {
    return await Promise.race([work, graceOver]);
  } finally {
    stop();
  }
}

interface Undoing {
  /** The undo steps that have not finished, in order. */
  readonly left: UnitUndo[];
  readonly failures: AnyTermination[];
}

interface UnitUndo {
  readonly unit: Unit;
  readonly undo: Undo;
}

/** The undo steps of all units that were at work when the run was cancelled: innermost first, and last registered first. */
function undosOf({ root, unwound }: Execution): UnitUndo[] {
  return [...unwound, ...root.withDescendants()].flatMap((unit) =>
    unit.undos.map((undo) => ({ unit, undo })).reverse(),
  );
}

async function undoAll(execution: Execution, { left, failures }: Undoing): Promise<void> {
  for (let next = left[0]; next !== undefined; next = left[0]) {
    const failure = await undoOne(execution, next);
    if (failure !== undefined) failures.push(failure);
    left.shift();
  }
}

function makeUnfinishedEnding(key: string): AnyTermination {
  const message = `The undo step ${JSON.stringify(key)} was not through when the grace was over.`;
  const error = { name: 'UndoUnfinished', message, code: 'UNDO_UNFINISHED' };
  return terminations.failed({ error, origin: 'step', errorClass: 'unknown' });
}

/** Each undo has a scope of its own, so that the order of registration is free to change between segments. */
async function undoOne(execution: Execution, { unit, undo }: UnitUndo): Promise<AnyTermination | undefined> {
  const scope = undoScope(unit.scope, undo.key);
  const account = execution.root.ledger;
  const undoing = new Unit({ scope, limits: {}, account, now: unit.now, finish: () => undefined });
  undoing.undoing = true;
  try {
    await step(execution, undoing, { key: undo.key, effect: (attempt) => undo.perform(attempt) });
    return undefined;
  } catch (error) {
    // The others are undone all the same.
    const data = error instanceof StepFailed ? error.data : toErrorData(error);
    return terminations.failed({ error: data, origin: 'step', errorClass: 'unknown' });
  }
}

export function makeCancelledEnding(request: CancelRequest): AnyTermination {
  return terminations.cancelled({ by: request.by, ...(request.reason !== undefined && { reason: request.reason }) });
}
