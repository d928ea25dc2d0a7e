import type { StartRequest } from '../../port/engine.js';
import { dispatchMark } from '../dispatch.js';

/** The name of the workflow that DBOS queues whenever a schedule is due. */
export const tickWorkflow = 'fullstop.tick';

/** The run that each tick of a schedule starts, as DBOS carries it. */
export interface TickContext {
  /** The schema of the store. */
  readonly store: string;
  /** The schedule as people know it. */
  readonly schedule: string;
  readonly start: Omit<StartRequest, 'runId'>;
}

/** Names of schedules are unique in the tables of DBOS, which stores may share. */
export function nameInDbos(schedule: string, schema: string): string {
  return `${schedule}${dispatchMark(schema)}`;
}

/** The run of a tick: whoever starts it, however often, has the same id. */
export function tickStart({ schedule, start }: TickContext, at: Date): StartRequest {
  const instant = at.toISOString().replace(/[-:]|\.\d+/g, '');
  return { ...start, runId: `${schedule}-${instant}` };
}
