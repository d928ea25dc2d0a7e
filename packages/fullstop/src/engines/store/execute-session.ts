import type { Engine, RunnableDefinition } from '../port/engine.js';
import type { Commits } from './commits.js';
import type { StoreSession } from './store-session.js';
import type { Watch } from './watch.js';

interface ExecutionParts {
  readonly engine: Engine;
  readonly commits: Commits;
  readonly watch: Watch;
}

interface Work {
  readonly definition: RunnableDefinition;
  readonly session: StoreSession;
}

/** Executes a claimed segment. Settles when it let go of its run, or when the run was taken from it: then it needs no slot while its ending is awaited. */
export function executeSession(
  { engine, commits, watch }: ExecutionParts,
  { definition, session }: Work,
): Promise<void> {
  return new Promise((resolve) => {
    session.onFenced(resolve);
    definition.execute(session, engine).then(resolve, async () => {
      if (watch.sessions.get(session.identity.runId) === session)
        await releaseSessions(commits, [session], true).catch(() => undefined);
      resolve();
    });
  });
}

/** Lets others continue these runs at once. `crashed` counts as a death of the owner. */
export async function releaseSessions(
  commits: Commits,
  sessions: readonly StoreSession[],
  crashed: boolean,
): Promise<void> {
  if (sessions.length === 0) return;
  const claims = sessions.map((session) => session.claim);
  await commits.ask('release', { claims, crashed });
  for (const session of sessions) session.lose();
}
