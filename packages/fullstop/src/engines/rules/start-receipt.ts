import type { JsonValue } from '../../termination/json.js';
import { RunIdConflict, type StartRequest } from '../port/engine.js';
import { sameJson } from '../port/same-json.js';

export interface ExistingRun {
  readonly name: string;
  readonly version: string;
  readonly input?: JsonValue | undefined;
}

/** Starting is idempotent by id: the same run again exists already, another one of the same id is refused. */
export function receiveStart(existing: ExistingRun | undefined, request: StartRequest): 'started' | 'exists' {
  if (existing === undefined) return 'started';
  const { runId, name, version, input } = request;
  if (existing.name === name && existing.version === version && sameJson(existing.input, input)) return 'exists';
  throw new RunIdConflict(runId);
}
