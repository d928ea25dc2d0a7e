import type { Engine, RunSession } from 'fullstop/engine';
import type { Workflow } from 'fullstop/workflow';

export interface StoredParts {
  /** Makes the workflow of a run from what is stored with it. */
  workflowOf(runId: string): Promise<Workflow>;
  /** Called with a run that cannot be resumed here. */
  onRefused(runId: string, error: Error): void;
}

const refusedMs = 60_000;

/** Executes a run with the files and the model that are stored with it. False where it cannot be resumed here: what is missing may be there later, or elsewhere. */
export async function executeStored(parts: StoredParts, session: RunSession, engine: Engine): Promise<boolean> {
  const { runId } = session.identity;
  let workflow: Workflow;
  try {
    workflow = await parts.workflowOf(runId);
  } catch (error) {
    parts.onRefused(runId, error as Error);
    await session.park(engine.clock.now() + refusedMs);
    return false;
  }
  await workflow.execute(session, engine);
  return true;
}
