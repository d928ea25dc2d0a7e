import {
  type AbortSignalLike,
  type Engine,
  RunIdConflict,
  type RunnableDefinition,
  type RunSession,
  type StartRequest,
} from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { host } from '../../engines/port/host.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { TerminationRegistry } from '../../termination/registry.js';
import { unreachableEnvelope } from '../ending/envelope.js';
import { newOwnerId } from '../new-id.js';
import { wasReleased } from '../process/active-runs.js';
import { PendingRun } from '../process/pending-run.js';
import { SleepingRun } from '../process/sleeping-run.js';
import type { Secrets } from '../secrets/secrets.js';
import { normalise } from '../unit/normalise.js';
import { notifyStart } from './notify-start.js';

export interface StartOptions {
  readonly engine: Engine;
  readonly request: Pick<StartRequest, 'runId' | 'name' | 'version'> & { readonly input: unknown };
  execute(session: RunSession): Promise<Envelope | undefined>;
  readonly registry: TerminationRegistry;
  readonly signal: AbortSignalLike | undefined;
  readonly secrets: Secrets | undefined;
  readonly onStart: (() => void) | undefined;
}

/** Starts a run, or joins the one of that id, and returns its ending. */
export async function startRun({
  engine,
  request,
  execute,
  registry,
  signal,
  secrets,
  onStart,
}: StartOptions): Promise<Envelope> {
  const plain = normalise(request.input);
  const input = secrets === undefined ? plain : secrets.seal(plain);
  const { runId, name, version } = request;
  const pending = new PendingRun(engine, { runId, name });
  try {
    await engine.start(input === undefined ? { runId, name, version } : { runId, name, version, input });
  } catch (error) {
    pending.leave(undefined);
    throw error instanceof RunIdConflict ? idConflict(error) : error;
  }
  notifyStart(onStart);
  return requireKnownKind(await executeHere({ engine, runId, name, segment: 1, pending, signal, execute }), registry);
}

function idConflict(cause: RunIdConflict): FullstopError {
  return new FullstopError('RUN_ID_CONFLICT', `${cause.message} Use another runId, or the same input.`, { cause });
}

export interface HereOptions {
  readonly engine: Engine;
  readonly runId: string;
  readonly name: string;
  /** The segment whose ending is wanted, or that of a later one. */
  readonly segment: number;
  /** The run, if the caller has claimed it already. */
  readonly claimed?: RunSession;
  /** The run in the list of this process, if it is there already. */
  readonly pending?: PendingRun;
  /** Cancels the run when it is aborted. */
  readonly signal?: AbortSignalLike | undefined;
  execute(session: RunSession): Promise<Envelope | undefined>;
}

/** Executes a run here if nobody else has it, and waits for its ending otherwise. Never rejects: the run has started. */
export async function executeHere(options: HereOptions): Promise<Envelope> {
  const { engine, runId, name, segment, signal, pending = new PendingRun(engine, { runId, name }) } = options;
  const unlisten = cancelOnAbort(engine, runId, signal);
  pending.begin();
  let envelope: Envelope | undefined;
  try {
    envelope = await endingHere(options, pending);
    return envelope;
  } catch (error) {
    return unreachableEnvelope({ runId, name, segment, endedAt: engine.clock.now(), error });
  } finally {
    unlisten();
    pending.leave(envelope);
  }
}

async function endingHere(options: HereOptions, pending: PendingRun): Promise<Envelope> {
  const { engine, runId, claimed } = options;
  const worker = newOwnerId('local', engine);
  for (let first = claimed; ; first = undefined) {
    const ending = first === undefined ? await engine.ending(runId) : undefined;
    if (ending !== undefined) return ending;
    const session = first ?? (pending.released ? undefined : await engine.claim(runId, worker));
    const envelope = await (session === undefined
      ? endingByOthers(options, pending)
      : endingOfSession(options, pending, session));
    if (envelope !== undefined) return envelope;
  }
}

/** The ending of a run that was claimed; undefined when it has slept, and can be claimed again. */
async function endingOfSession(
  { engine, runId, execute }: HereOptions,
  pending: PendingRun,
  session: RunSession,
): Promise<Envelope | undefined> {
  if (pending.released) {
    await session.park(engine.clock.now());
    return engine.waitForEnding(runId, session.segment);
  }
  const envelope = await execute(session);
  if (envelope !== undefined || (await mayContinue(engine, session))) return envelope;
  return engine.waitForEnding(runId, session.segment);
}

/** Waits until a run that was parked for a while can be resumed; false when it is left to others. */
async function mayContinue(engine: Engine, session: RunSession): Promise<boolean> {
  if (wasReleased(session)) return false;
  const sleeping = new SleepingRun(engine, session);
  try {
    await engine.waitUntilReady(session.identity.runId);
  } finally {
    sleeping.leave();
  }
  return !sleeping.released;
}

/** How long to wait for the ending of another owner before looking whether it is still there. */
const ownerCheckMs = 1000;

/** The ending that another owner reaches; undefined when it is time to look whether that owner still lives. */
async function endingByOthers(
  { engine, runId, segment }: HereOptions,
  pending: PendingRun,
): Promise<Envelope | undefined> {
  pending.leave(undefined);
  if (!engine.durable) return engine.waitForEnding(runId, segment);
  const giveUp = new host.AbortController();
  // Whether a process lives has nothing to do with the clock of the runs.
  const timer = host.setTimeout(() => giveUp.abort(giveUp), ownerCheckMs);
  try {
    return await engine.waitForEnding(runId, segment, giveUp.signal);
  } catch (error) {
    if (giveUp.signal.aborted) return undefined;
    throw error;
  } finally {
    host.clearTimeout(timer);
    pending.comeBack();
  }
}

/** Executes a spawned run in the background, unless a worker is quicker. */
export function launchHere(engine: Engine, definition: RunnableDefinition, runId: string): void {
  const execute = async (session: RunSession): Promise<Envelope | undefined> => {
    await definition.execute(session, engine);
    return engine.ending(runId);
  };
  const launch = async (): Promise<void> => {
    const claimed = await engine.claim(runId, newOwnerId('local', engine));
    if (claimed !== undefined)
      await executeHere({ engine, runId, name: definition.name, segment: 1, claimed, execute });
  };
  // Nobody waits for it here: whoever waits for the ending of the run learns of a store that fails.
  launch().catch(() => undefined);
}

/** A stored ending of a kind that this program does not know must not slip through a typed result. */
export function requireKnownKind(envelope: Envelope, registry: TerminationRegistry): Envelope {
  if (registry.find(envelope.termination.kind) !== undefined) return envelope;
  throw new FullstopError(
    'ENDING_NOT_DECLARED',
    `The run ${envelope.runId} ended as ${JSON.stringify(envelope.termination.kind)}, which this definition does not declare; list it in terminations: [definition].`,
  );
}

function cancelOnAbort(engine: Engine, runId: string, signal: AbortSignalLike | undefined): () => void {
  if (signal === undefined) return () => undefined;
  const cancel = (): void => {
    const text = reasonOf(signal);
    // A store that fails here fails the run itself too, which says so.
    engine.cancel(runId, { by: 'caller', ...(text !== undefined && { reason: text }) }).catch(() => undefined);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
}

/** Why a signal was aborted, in words; the reason may be anything. */
function reasonOf({ reason }: AbortSignalLike): string | undefined {
  if (reason === undefined || typeof reason === 'string') return reason;
  return toErrorData(reason).message;
}
