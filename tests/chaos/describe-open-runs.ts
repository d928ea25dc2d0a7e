import type { SqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';

/** Everything that is known of the runs without a final ending, for the message of a test that waits for them. */
export async function describeOpenRuns(
  engine: SqliteEngine,
  runs: readonly { readonly runId: string }[],
): Promise<string> {
  const known: unknown[] = [];
  for (const { runId } of runs) {
    if ((await engine.ending(runId))?.open === false) continue;
    const requests = await engine.openRequests(runId);
    const last = await engine.journal(runId, { newest: 6 });
    known.push({ summary: await engine.summary(runId), requests, last });
  }
  return `these runs to end: ${JSON.stringify(known)}`;
}
