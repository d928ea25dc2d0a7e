import type { Engine, RunnableDefinition, RunSession, RunState, RunSummary } from '../../engines/port/engine.js';
import type { Envelope } from '../../engines/port/envelope.js';
import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { createRegistry } from '../../termination/registry.js';
import { type LastSeen, lastSeenOf, wasBegun } from '../ending/last-seen.js';
import { loadRuntime } from '../load-runtime.js';
import { newOwnerId } from '../new-id.js';

/** A definition that can end its runs as abandoned, with its own notices and secrets. */
export interface Abandonable extends RunnableDefinition {
  abandon?(session: RunSession, engine: Engine, lastSeen: LastSeen): Promise<Envelope>;
}

/** Options of `sweepAbandoned`. */
export interface SweepOptions {
  /** Only runs that have shown no activity for this long. */
  readonly olderThanMs: number;
}

/** Also parked ones: a run whose sleep is over needs someone to continue it. One that is not cannot be claimed. */
const states: readonly RunState[] = ['running', 'ready', 'parked'];
const runsPerPage = 200;

/**
 * Ends orphaned runs as `abandoned`: someone began them, their owner is gone and nobody has resumed them. Never done by itself:
 * most orphaned runs are better resumed by a worker. With definitions, only their runs, and their notices are sent; and runs
 * of theirs that waited for a person longer than the deadline continue as that says, as with a worker.
 */
export async function sweepAbandoned(
  engine: Engine,
  definitions: readonly Abandonable[] | undefined,
  options: SweepOptions,
): Promise<readonly Envelope[]> {
  const { olderThanMs } = options;
  if (!(Number.isFinite(olderThanMs) && olderThanMs > 0)) {
    throw new FullstopError(
      'INVALID_OPTION',
      `olderThanMs is ${found(olderThanMs)}; it must be a number of milliseconds above 0, or runs that are at work would be in danger.`,
    );
  }
  const silentSince = engine.clock.now() - olderThanMs;
  const endings: Envelope[] = [];
  for (const run of await candidates(engine, silentSince)) {
    const definition = definitions?.find(({ name, version }) => name === run.name && version === run.version);
    if (definitions !== undefined && definition === undefined) continue;
    const isPaused = run.category === 'paused';
    if (isPaused && definition === undefined) continue;
    const ending = isPaused
      ? await expire(engine, run, definition as RunnableDefinition)
      : await abandon(engine, run, { definition, silentSince });
    if (ending?.persisted === true) endings.push(ending);
  }
  return endings;
}

async function candidates(engine: Engine, silentSince: number): Promise<readonly RunSummary[]> {
  const found: RunSummary[] = [];
  for (const state of states) {
    for (let cursor: string | undefined; ; ) {
      const { runs, next } = await engine.list({ state, limit: runsPerPage, ...(cursor !== undefined && { cursor }) });
      const isLeft = ({ kind, category }: RunSummary): boolean => kind === undefined || category === 'paused';
      found.push(...runs.filter((run) => isLeft(run) && run.updatedAt <= silentSince));
      if (next === undefined) break;
      cursor = next;
    }
  }
  return found;
}

/** Applies a deadline that has passed while nobody worked on the run. */
async function expire(
  engine: Engine,
  { runId }: RunSummary,
  definition: RunnableDefinition,
): Promise<Envelope | undefined> {
  const now = engine.clock.now();
  const open = await engine.openRequests(runId);
  if (!open.some(({ deadline }) => deadline !== undefined && deadline <= now)) return undefined;
  const session = await engine.claim(runId, newOwnerId('sweep', engine));
  if (session === undefined) return undefined;
  await definition.execute(session, engine);
  return engine.ending(runId);
}

interface Sweeping {
  readonly definition: Abandonable | undefined;
  readonly silentSince: number;
}

async function abandon(
  engine: Engine,
  run: RunSummary,
  { definition, silentSince }: Sweeping,
): Promise<Envelope | undefined> {
  // Whoever has it keeps it: a claim succeeds only where the owner is gone.
  const session = await engine.claim(run.runId, newOwnerId('sweep', engine));
  if (session === undefined) return undefined;
  const left = session.segment === run.segment && wasBegun(session) && lastAlarm(session) <= silentSince;
  if (!left) {
    await session.park(engine.clock.now());
    return undefined;
  }
  const lastSeen = lastSeenOf(run);
  return definition?.abandon?.(session, engine, lastSeen) ?? abandonUnknown(engine, session, lastSeen);
}

/** A run that sleeps shows no activity, and should not. */
function lastAlarm({ history }: RunSession): number {
  return history.reduce(
    (latest, entry) => (entry.type === 'sleep_started' ? Math.max(latest, entry.data.until) : latest),
    0,
  );
}

async function abandonUnknown(engine: Engine, session: RunSession, lastSeen: LastSeen): Promise<Envelope> {
  const { abandonSegment, makeSettings } = await loadRuntime();
  const registry = createRegistry([]);
  return abandonSegment(
    {
      engine,
      session,
      settingsFor: (history) => makeSettings({ definition: {}, registry, runOptions: {}, history, engine }),
      body: () => Promise.reject(new Error('A segment that is swept is not executed.')),
      outboxOf: () => [],
    },
    lastSeen,
  );
}
