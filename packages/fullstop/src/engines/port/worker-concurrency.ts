import { found } from '../../termination/check.js';
import { FullstopError } from '../../termination/fullstop-error.js';
import type { WorkerOptions } from './engine.js';

const usualConcurrency = 10;

/** How many segments a worker executes at once; a worker that takes none would wait for ever. */
export function workerConcurrency({ concurrency = usualConcurrency }: WorkerOptions): number {
  if (Number.isSafeInteger(concurrency) && concurrency > 0) return concurrency;
  throw new FullstopError(
    'INVALID_OPTION',
    `worker: concurrency is ${found(concurrency)}; it must be a whole number above 0. Leave it out for ${usualConcurrency}.`,
  );
}
