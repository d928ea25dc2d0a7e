import { type Engine, FencedError, type OutboxItem, type RunSession } from '../../engines/port/engine.js';
import type { Envelope, StoredEnvelope } from '../../engines/port/envelope.js';
import type { CancelRequest, JournalEntry } from '../../engines/port/journal-entry.js';
import { mostRecoveries } from '../../engines/port/most-recoveries.js';
import { assertNever } from '../../termination/assert-never.js';
import type { JsonValue } from '../../termination/json.js';
import { ActiveTime } from '../accounts/active-time.js';
import { bodyFailure, toUnitResult } from '../ending/body-result.js';
import { concludeRun } from '../ending/conclude.js';
import { finishUnit } from '../ending/finish-unit.js';
import { pauseOf } from '../ending/pause.js';
import { ActiveSegment } from '../process/active-runs.js';
import { journalledCancel } from '../replay/journalled-cancel.js';
import type { BodyResult, RunContext, UnitResult } from '../run-context.js';
import type { RunSettings } from '../settings.js';
import { watchTime } from '../unit/time-budget.js';
import { UnitContext } from '../unit/unit-context.js';
import { receiveAnswer } from '../unit/wait.js';
import { beginCancel, makeCancelledEnding, type Unwinding } from './cancellation.js';
import { crashLoop } from './crash-loop.js';
import { Execution } from './execution.js';
import { nextTurn } from './next-turn.js';
import type { Settlement } from './settlement.js';

export interface SegmentOptions {
  readonly engine: Engine;
  readonly session: RunSession;
  settingsFor(history: readonly JournalEntry[]): RunSettings;
  body(context: RunContext, input: JsonValue | undefined): Promise<BodyResult>;
  outboxOf(envelope: StoredEnvelope): readonly OutboxItem[];
}

/** Runs one segment to its ending. Undefined when it was parked without one. */
export async function runSegment(options: SegmentOptions): Promise<Envelope | undefined> {
  const segment = new ActiveSegment(options.engine, options.session);
  let envelope: Envelope | undefined;
  try {
    envelope = await runExecutions(options, segment);
  } finally {
    segment.leave(envelope);
  }
  return envelope;
}

/** One execution after the other, until one does not ask for a replay. */
async function runExecutions(options: SegmentOptions, segment: ActiveSegment): Promise<Envelope | undefined> {
  const { engine, session } = options;
  let history = session.history;
  const active = new ActiveTime(engine.clock, history);
  for (;;) {
    const execution = new Execution({ session, engine, settings: options.settingsFor(history), history, active });
    const settlement = await execute(execution, { options, segment, history });
    execution.close();
    if (settlement.type === 'replay') {
      // Executions that only replay would keep timers and signals from ever firing.
      await new Promise<void>((resolve) => nextTurn(resolve));
      history = await replayHistory(engine, session.identity.runId);
      continue;
    }
    if (settlement.type === 'released') segment.letGo();
    // Once the ending is written nobody would stop them any more.
    if (execution.cancelling.length > 0) await Promise.all(execution.cancelling);
    const envelope = await conclude(execution, settlement, options);
    if (envelope !== undefined) execution.budget.close();
    return envelope;
  }
}

interface ExecuteOptions {
  readonly options: SegmentOptions;
  readonly segment: ActiveSegment;
  readonly history: readonly JournalEntry[];
}

/** Runs the body until something settles the execution. */
function execute(execution: Execution, { options, segment, history }: ExecuteOptions): Promise<Settlement> {
  let bodySettled: (returned: UnitResult | undefined) => void = () => undefined;
  const settledBody: Unwinding = new Promise((resolve) => {
    bodySettled = resolve;
  });
  const cancel = (request: CancelRequest): void => beginCancel(execution, request, settledBody);
  execution.open({ onAnswer: (message) => receiveAnswer(execution, message), onCancel: cancel });
  const journalled = journalledCancel(execution.journal);
  if (journalled !== undefined) beginCancel(execution, journalled.data, settledBody);
  const onlyStarted = history.every((entry) => entry.type === 'run_started');
  const { cancelRequest } = execution.state;
  if (cancelRequest !== undefined && onlyStarted) {
    execution.root.end({ termination: makeCancelledEnding(cancelRequest), also: [] });
    return execution.state.settled;
  }
  if (execution.session.recoveries >= mostRecoveries) {
    execution.root.end({ termination: crashLoop(execution.session), also: [] });
    return execution.state.settled;
  }
  segment.attach(execution, cancel);
  watchTime(execution, execution.root, { at: history[0]?.at ?? execution.journal.now(), activeMs: 0 });
  void runBody(execution, options).then(bodySettled);
  return execution.state.settled;
}

/** Returns what the body of a cancelled run returned; otherwise that is the ending of the run. */
async function runBody(execution: Execution, options: SegmentOptions): Promise<UnitResult | undefined> {
  const { root, session } = execution;
  try {
    const returned = await options.body(new UnitContext(execution, root), session.input);
    if (execution.state.cancelRequest !== undefined) return returned === undefined ? undefined : toUnitResult(returned);
    finishUnit(execution, root, toUnitResult(returned));
  } catch (error) {
    // While it is cancelled, whatever the body throws is part of its unwinding.
    if (execution.state.cancelRequest === undefined) finishUnit(execution, root, bodyFailure(error));
  }
  return undefined;
}

async function conclude(
  execution: Execution,
  settlement: Exclude<Settlement, { type: 'replay' }>,
  options: SegmentOptions,
): Promise<Envelope | undefined> {
  const { session, engine } = execution;
  switch (settlement.type) {
    case 'ended':
      return concludeRun(execution, settlement.result, options.outboxOf);
    case 'paused':
      return concludeRun(
        execution,
        { termination: pauseOf(execution.requests.list), also: execution.requests.causes },
        options.outboxOf,
      );
    case 'parked':
      return park(execution, settlement.wakeAt);
    case 'released':
      await leaveToOthers(execution);
      return undefined;
    case 'fenced':
      return engine.waitForEnding(session.identity.runId, session.segment);
    default:
      return assertNever('Unknown settlement', settlement);
  }
}

/** Parks the run until an instant. Returns the ending of the new owner if another has it by now. */
async function park(execution: Execution, wakeAt: number): Promise<Envelope | undefined> {
  const { session, engine } = execution;
  try {
    await session.park(wakeAt);
    execution.journal.announcements.notify();
    return undefined;
  } catch (error) {
    if (error instanceof FencedError) return engine.waitForEnding(session.identity.runId, session.segment);
    throw error;
  }
}

async function leaveToOthers(execution: Execution): Promise<void> {
  try {
    await execution.session.park(execution.engine.clock.now());
    execution.journal.announcements.notify();
  } catch {
    // A store that cannot be reached keeps the run until its owner counts as gone; then others resume it.
  }
}

/** The journal as another process would read it: every value makes the round trip through text. */
async function replayHistory(engine: Engine, runId: string): Promise<readonly JournalEntry[]> {
  return JSON.parse(JSON.stringify(await engine.journal(runId))) as readonly JournalEntry[];
}
