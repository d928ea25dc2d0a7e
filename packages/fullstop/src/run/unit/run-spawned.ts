import { lessCharge } from '../../engines/port/add-charges.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { addUsd } from '../../engines/port/money.js';
import type { OpenRequest } from '../../engines/port/request.js';
import type { Charge } from '../../engines/port/usage.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { waitsForAnswers } from '../../termination/root-cause.js';
import { spawnEndingKey, spawnResumeKey } from '../journal/operation-key.js';
import type { RunLimits } from '../limits.js';
import { lastStepOf } from '../replay/replay.js';
import type { Spawnable } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import { BubbledRequests } from './bubbled-requests.js';
import { bookSpawned, chargeOf, startSpawned, stopOne } from './spawn.js';
import { changesInside } from './spawned-changes.js';
import type { Unit } from './unit.js';
import type { UnitContext } from './unit-context.js';

interface Place {
  readonly unit: Unit;
  readonly context: UnitContext;
}

interface SpawnedUnit {
  readonly definition: Spawnable;
  readonly input: JsonValue;
  /** Limits of its own, besides what is left here. */
  readonly limits: RunLimits;
}

/** An ending of the spawned run as this run has journalled it: the whole of it, and what it asked then. */
interface SeenEnding {
  readonly envelope: Envelope;
  readonly requests: readonly OpenRequest[];
}

/**
 * Runs a definition as a run of its own, executed by whoever takes it from a queue. It stands in this unit as if it were inside: its ending is the
 * ending of the unit, what it asks is asked here, and it is stopped and resumed with the unit.
 */
export async function runSpawned(execution: Execution, place: Place, call: SpawnedUnit): Promise<Envelope> {
  const { unit, context } = place;
  const runId = await startSpawned(execution, context, { ...call, toQueue: true });
  const launch = (): void => {
    if (execution.engine.queued !== true) execution.settings.launch(call.definition, runId);
  };
  unit.whenAborted(() => {
    // A segment that is over leaves its runs alone: the next one waits for them again.
    if (!unit.active) stopOne(execution, runId, {});
  });
  const bubbled = new BubbledRequests(execution, { unit, context, runId });
  let booked: Charge = {};
  for (let segment = 1; ; ) {
    const isOld = isFromBefore(execution, context);
    const seen = await takeEnding(execution, place, { runId, segment, booked });
    const { envelope } = seen;
    segment = envelope.segment + 1;
    if (isWaiting(seen)) {
      // They may have been answered already.
      if (seen.requests.length > 0) await bubbled.ask(seen.requests);
      launch();
      continue;
    }
    bubbled.withdrawAll();
    booked = chargeOf(envelope);
    if (!isResumed(context, unit, { runId, envelope, isOld })) return envelope;
    await resume(execution, context, { runId, envelope });
    launch();
  }
}

/** True when the journal has the next ending from an earlier segment of this run. */
function isFromBefore({ session }: Execution, context: UnitContext): boolean {
  return (lastStepOf(context.slotAt(context.nextOrdinal))?.segment ?? session.segment) < session.segment;
}

interface Awaited {
  readonly runId: string;
  readonly segment: number;
  /** Its usage that was booked with an earlier ending. */
  readonly booked: Charge;
}

function takeEnding(
  execution: Execution,
  { context }: Place,
  { runId, segment, booked }: Awaited,
): Promise<SeenEnding> {
  const { engine } = execution;
  return context.stepElsewhere(spawnEndingKey(runId), async (attempt) => {
    const envelope = await engine.waitForEnding(runId, segment, attempt.signal);
    const requests = envelope.category === 'paused' ? await engine.openRequests(runId) : [];
    if (isWaiting({ envelope, requests })) return { envelope, requests };
    bookSpawned(execution, attempt, lessCharge(chargeOf(envelope), booked));
    return { envelope, requests: [] };
  });
}

/** True for a run that continues with an answer. One that a verdict holds has nothing to ask: it has ended for whoever spawned it. */
function isWaiting({ envelope: { category, termination }, requests }: SeenEnding): boolean {
  return category === 'paused' && (requests.length > 0 || waitsForAnswers(termination));
}

interface Ended {
  readonly runId: string;
  readonly envelope: Envelope;
  readonly isOld: boolean;
}

/** A run that was stopped with this unit, or whose ending this unit is resumed from, continues with it. */
function isResumed(context: UnitContext, unit: Unit, { runId, envelope, isOld }: Ended): boolean {
  if (!envelope.open) return false;
  const next = context.slotAt(context.nextOrdinal)?.entries[0];
  if (next !== undefined) return next.key === spawnResumeKey(runId);
  const { kind, by } = envelope.termination as AnyTermination & { readonly by?: unknown };
  return (kind === 'cancelled' && by === 'parent') || (isOld && unit.endingBefore !== undefined);
}

async function resume(
  execution: Execution,
  context: UnitContext,
  { runId, envelope }: Pick<Ended, 'runId' | 'envelope'>,
): Promise<void> {
  const { engine, journal } = execution;
  const opening = journal.history.findLast((entry) => entry.type === 'segment_opened');
  const changes: JsonObject = (opening?.type === 'segment_opened' ? opening.data.options : undefined) ?? {};
  await context.stepElsewhere(spawnResumeKey(runId), async ({ signal }) => {
    await execution.budget.beginSpawning(signal);
    const inside = changesInside(changes, context.scope, envelope.termination);
    const left = limitsLeft(context, envelope);
    const options = { ...inside, ...(Object.keys(left).length > 0 && { left }) };
    const receipt = await engine.reopen({ runId, after: envelope.segment, because: 'resume', options });
    // Opened by this step before its process died, or by someone who resumed the run itself.
    if (receipt.status === 'opened' || receipt.status === 'conflict') return receipt.status;
    throw new FullstopError('RUN_CLOSED', `The spawned run ${runId} cannot be resumed: it is ${receipt.status}.`);
  });
}

/** The limits of the whole run once it is resumed: its usage so far, and what is left here by now. */
function limitsLeft({ ledger }: Pick<UnitContext, 'ledger'>, { usage, costUsd }: Envelope): JsonObject {
  const left = ledger.unspent();
  return {
    ...(left.tokens !== undefined && { tokens: left.tokens + usage.totalTokens }),
    ...(left.costUsd !== undefined && { costUsd: addUsd(left.costUsd, costUsd ?? 0) }),
  };
}
