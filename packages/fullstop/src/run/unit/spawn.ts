import type { Envelope } from '../../engines/port/envelope.js';
import type { CancelRequest } from '../../engines/port/journal-entry.js';
import type { Charge } from '../../engines/port/usage.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import type { JsonObject, JsonValue } from '../../termination/json.js';
import type { Ledger } from '../accounts/ledger.js';
import { checkSpawnable } from '../check-operation.js';
import { spawnEndingKey, spawnKey } from '../journal/operation-key.js';
import type { RunLimits } from '../limits.js';
import type { RunContext, Spawnable, SpawnedRun, StepAttempt } from '../run-context.js';
import type { Execution } from '../segment/execution.js';
import { normalise } from './normalise.js';

/** The context of the unit that spawns. */
interface SpawningContext extends Pick<RunContext, 'scope' | 'uuid'> {
  readonly ledger: Ledger;
  noteSpawned(runId: string, name: string): void;
  stepElsewhere<T>(key: string, effect: (attempt: StepAttempt) => Promise<T>): Promise<T>;
}

interface SpawnCall {
  readonly definition: Spawnable;
  readonly input: JsonValue | undefined;
  readonly runId?: string;
  /** True to leave it to whoever takes it from a queue, where the engine has queues. */
  readonly toQueue?: boolean;
  readonly limits?: RunLimits;
}

/**
 * Starts a run of its own. Its id is derived from this run's, so that a repeated start is recognised. It may use what is
 * left here, and what it used is booked here when its ending is taken.
 */
export async function spawn(execution: Execution, context: SpawningContext, call: SpawnCall): Promise<SpawnedRun> {
  const runId = await startSpawned(execution, context, call);
  let taken = false;
  return {
    runId,
    ending: () => {
      const isFirst = !taken;
      taken = true;
      return context.stepElsewhere(spawnEndingKey(runId), async (attempt) => {
        const envelope = await finalEnding(execution, runId, attempt);
        // A body may ask again; what the run used was used once.
        if (isFirst) bookSpawned(execution, attempt, chargeOf(envelope));
        return envelope;
      });
    },
  };
}

/** Starts the run, once, and remembers it. Returns its id. */
export async function startSpawned(execution: Execution, context: SpawningContext, call: SpawnCall): Promise<string> {
  const { engine, session } = execution;
  const { definition } = call;
  checkSpawnable(definition);
  const input = execution.journal.seal(normalise(call.input));
  const runId = call.runId ?? context.uuid();
  const depth = depthOf(execution) + 1;
  if (depth > deepest) throw tooDeep(definition);
  const { within } = execution.budget;
  await context.stepElsewhere(spawnKey(definition.name), async ({ signal }) => {
    await execution.budget.beginSpawning(signal);
    const limits = { ...call.limits, ...context.ledger.unspent() } as JsonObject;
    return engine.start({
      runId,
      name: definition.name,
      version: definition.version,
      parent: { runId: session.identity.runId, scope: context.scope },
      options: {
        depth,
        ...(Object.keys(limits).length > 0 && { limits }),
        ...(within.length > 0 && { within }),
      },
      ...(input !== undefined && { input }),
    });
  });
  context.noteSpawned(runId, definition.name);
  if (call.toQueue !== true || engine.queued !== true) execution.settings.launch(definition, runId);
  return runId;
}

/** How deep runs may spawn one another. */
const deepest = 16;

/** How many runs are above this one. */
function depthOf({ session }: Execution): number {
  const depth = session.options?.['depth'];
  return typeof depth === 'number' ? depth : 0;
}

function tooDeep({ name }: Spawnable): FullstopError {
  return new FullstopError(
    'INVALID_OPTION',
    `Runs have spawned one another ${deepest} deep; ${name} is not started. Look for a definition that spawns itself without an end.`,
  );
}

/** A run that waits for a person has not ended: whoever spawned it waits too. */
async function finalEnding({ engine }: Execution, runId: string, { signal }: StepAttempt): Promise<Envelope> {
  for (let segment = 1; ; ) {
    const envelope = await engine.waitForEnding(runId, segment, signal);
    if (envelope.category !== 'paused') return envelope;
    segment = envelope.segment + 1;
  }
}

/** Books what a spawned run has used, which it has reported itself where budgets are shared. */
export function bookSpawned({ budget }: Execution, attempt: StepAttempt, charge: Charge): void {
  attempt.charge(charge);
  budget.addSpawned(charge);
}

export function chargeOf({ usage, costUsd, estimated = false }: Envelope): Parameters<StepAttempt['charge']>[0] {
  const { inputTokens, outputTokens } = usage;
  return { inputTokens, outputTokens, ...(costUsd !== null && { costUsd }), ...(estimated && { estimated }) };
}

/** Stops the runs that a run has spawned, because it is being cancelled itself. Those that have ended stay as they are. */
export function cancelSpawned(execution: Execution): void {
  const before = execution.journal.history.flatMap((entry) =>
    entry.type === 'child_spawned' ? [entry.data.runId] : [],
  );
  for (const runId of new Set([...before, ...execution.spawned])) cancelOne(execution, runId);
}

/** A store that fails here fails the run itself too, which says so. */
export function cancelOne(execution: Execution, runId: string): void {
  const { cancelRequest } = execution.state;
  if (cancelRequest === undefined) return;
  const { reason, hard } = cancelRequest;
  stopOne(execution, runId, { ...(reason !== undefined && { reason }), ...(hard !== undefined && { hard }) });
}

/** Cancels a spawned run; the ending of whoever spawned it is not written before that is. */
export function stopOne(
  { engine, cancelling }: Execution,
  runId: string,
  { reason, hard }: Pick<CancelRequest, 'reason' | 'hard'>,
): void {
  const request = {
    by: 'parent',
    ...(reason !== undefined && { reason }),
    ...(hard !== undefined && { hard }),
  } as const;
  cancelling.push(
    engine.cancel(runId, request).then(
      () => undefined,
      () => undefined,
    ),
  );
}
