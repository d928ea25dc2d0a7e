import { FullstopError } from '../../termination/errors/fullstop-error.js';

const missingRight = '42501';

/** The error of a launch of DBOS that failed, with what to do where a right is missing; what the server said is inside of it. */
export function launchFailure(error: unknown, dbosSchema: string): unknown {
  const outer = (error ?? {}) as { readonly code?: unknown; readonly error?: { readonly code?: unknown } };
  if (outer.code !== missingRight && outer.error?.code !== missingRight) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new FullstopError(
    'STORE_READ_ONLY',
    `This role may not launch DBOS. docs/dbos.md lists what workers need on the schema ${dbosSchema}; as long as it is not there, its owner must launch one first. (DBOS said: ${said})`,
    { cause: error },
  );
}
