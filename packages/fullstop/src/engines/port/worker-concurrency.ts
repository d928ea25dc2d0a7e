import { wholeNumber } from './check-number.js';
import type { WorkerOptions } from './engine.js';

const usualConcurrency = 10;

/** How many segments a worker executes at once; a worker that takes none would wait for ever. */
export function workerConcurrency({ concurrency = usualConcurrency }: WorkerOptions): number {
  return wholeNumber(concurrency, 'worker: concurrency', ` Leave it out for ${usualConcurrency}.`);
}
