import type { RunContext } from '../../../run/run-context.js';
import { asUnitContext } from '../../../run/unit/unit-context.js';
import type { Ending } from '../../../termination/ending.js';
import { endAll, type Started } from '../program/started-processes.js';
import { type StoppedRun, tellOfStop } from './tell-of-stop.js';

/** A workflow at work inside another run. */
interface WorkflowInside {
  readonly live: StoppedRun;
  readonly started: Started;
}

/**
 * Ends the programs of a workflow inside another run, and notifies its `on_error`, where a limit of its unit ends it: its body never
 * returns then. Returns what is to be called when the body does return.
 */
export function cleanUpAfterStop(context: RunContext, inside: WorkflowInside): () => void {
  return asUnitContext(context).whenStopped((ending) => void cleanUp(inside, ending));
}

async function cleanUp({ live, started }: WorkflowInside, ending: Ending | undefined): Promise<void> {
  await endAll(started);
  // One that is cancelled together with what is around it is not notified, as a sub-workflow is not.
  if (ending === undefined || ending.kind === 'cancelled') return;
  await tellOfStop(live, { termination: ending, persisted: true });
}
