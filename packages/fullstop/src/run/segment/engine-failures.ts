import { toErrorData } from '../../termination/errors/to-error-data.js';
import type { AnyTermination } from '../../termination/kinds.js';
import { terminations } from '../../termination/terminations.js';
import type { UnitResult } from '../run-context.js';

/** Where a body asks for something else than the journal holds. */
export interface Mismatch {
  readonly scope: string;
  readonly ordinal: number;
  readonly found: string;
  readonly asked: string | undefined;
}

/** The result of a run whose code has changed under its journal. */
export function replayMismatch({ scope, ordinal, found, asked }: Mismatch): UnitResult {
  const place = `${scope === '' ? 'the run' : scope}, operation ${ordinal}`;
  const instead = asked === undefined ? 'does not ask for it' : `asks for ${JSON.stringify(asked)}`;
  const message = `The journal holds ${JSON.stringify(found)} at ${place}, but the body ${instead}. Resume it with the code that wrote the journal, or start a new run.`;
  const error = { name: 'ReplayMismatch', message, code: 'REPLAY_MISMATCH' };
  return resultOf(terminations.failed({ error, origin: 'engine', errorClass: 'configuration' }));
}

/** The result of a run that would put a secret where it cannot be sealed. */
export function secretInKey(shown: string): UnitResult {
  const message = `The key ${JSON.stringify(shown)} holds the value of a secret. Name the operation without it.`;
  const error = { name: 'SecretInKey', message, code: 'SECRET_IN_KEY' };
  return resultOf(terminations.failed({ error, origin: 'body', errorClass: 'configuration' }));
}

/** The result of a run whose store failed. */
export function engineFailure(error: unknown): UnitResult {
  return resultOf(terminations.failed({ error: toErrorData(error), origin: 'engine', errorClass: 'resource' }));
}

function resultOf(termination: AnyTermination): UnitResult {
  return { termination, also: [] };
}
