import { FullstopError } from '../../../termination/errors/fullstop-error.js';
import { delegateEngine } from '../../port/delegate-engine.js';
import type { Engine, StartRequest } from '../../port/engine.js';
import type { Schedulable } from './options.js';

/**
 * The request with which a definition would start a run: its own checks are made and its input is what it makes of it, and nothing is started.
 * Definitions that refuse the input reject.
 */
export async function captureStart<TInput>(
  engine: Engine,
  definition: Schedulable<TInput>,
  input: TInput,
): Promise<Omit<StartRequest, 'runId'>> {
  let captured: StartRequest | undefined;
  const start = (request: StartRequest): Promise<never> => {
    captured = request;
    return Promise.reject(new FullstopError('INVALID_OPTION', 'Its runs are started when they are due.'));
  };
  try {
    await definition.run(input, { engine: { ...delegateEngine(engine), start } });
  } catch (error) {
    if (captured === undefined) throw error;
  }
  if (captured === undefined)
    throw new FullstopError(
      'INVALID_OPTION',
      `schedule: ${definition.name} starts no run on the engine that it is given.`,
    );
  const { runId: _, ...request } = captured;
  if (request.conversation !== undefined)
    throw new FullstopError(
      'INVALID_OPTION',
      `schedule: ${definition.name} would start a turn of a conversation, and each turn needs the one before it. Schedule a run that starts the turn.`,
    );
  return request;
}
