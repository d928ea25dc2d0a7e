import type { RunIdentity } from '../port/engine.js';

/** The name of the one workflow that DBOS knows of us. */
export const segmentWorkflow = 'fullstop.segment';
/** The queue of runs that are put nowhere else. */
export const usualQueue = 'fullstop';
/** The queue of runs that other runs have spawned, with a partition for each tree of runs: a large one does not keep the others waiting. */
export const spawnedQueue = 'fullstop.spawned';
/** The schema whose dispatches need no mark. */
const usualSchema = 'fullstop';

/** A segment to be executed, as DBOS carries it. Each change of hands counts the epoch up, so that no dispatch is good for two of them. */
export interface Dispatch {
  readonly schema: string;
  readonly runId: string;
  readonly name: string;
  readonly version: string;
  readonly segment: number;
  readonly epoch: number;
}

/**
 * The id of the workflow of a dispatch. Whoever queues it has the same, so that it is queued once. A run whose segment is parked halfway, or
 * whose worker died, is dispatched again under its next epoch. Ids of the usual schema end in a digit, those of others in a full stop.
 */
export function dispatchId({ schema, runId, segment, epoch }: Omit<Dispatch, 'name' | 'version'>): string {
  return `${runId}:${segment}:${epoch}${dispatchMark(schema)}`;
}

export function dispatchMark(schema: string): string {
  return schema === usualSchema ? '' : `@${schema}.`;
}

/** The store of a dispatch in DBOS's listings; absent for the usual one. */
export function storeAttribute(schema: string): string | undefined {
  return schema === usualSchema ? undefined : schema;
}

/** The attributes that DBOS's own listings show and filter by. */
export function dispatchAttributes(
  identity: RunIdentity,
  { schema, segment, epoch }: Dispatch,
): Record<string, unknown> {
  const { runId, name, version, parent, conversation } = identity;
  return {
    runId,
    name,
    version,
    segment,
    epoch,
    ...(storeAttribute(schema) !== undefined && { store: schema }),
    ...(parent !== undefined && { parent: parent.runId }),
    ...(conversation !== undefined && { conversation: conversation.id }),
  };
}
