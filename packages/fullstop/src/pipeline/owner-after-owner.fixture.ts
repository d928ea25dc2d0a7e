import type { RunnableDefinition } from '../engines/port/engine.js';
import type { FaultyEngine } from '../testing/faulty-engine.js';

/** Executes a run, owner after owner, until it has an ending. Returns the number of owners that were lost. */
export async function ownerAfterOwner(
  engine: FaultyEngine,
  definition: RunnableDefinition,
  runId: string,
): Promise<number> {
  const { name, version } = definition;
  await engine.start({ runId, name, version });
  for (let lost = 0; lost < 50; lost += 1) {
    const session = await engine.claim(runId, 'worker');
    if (session === undefined) return lost - 1;
    await Promise.race([definition.execute(session, engine), engine.lost(runId)]);
  }
  throw new Error('the run comes to no end');
}
