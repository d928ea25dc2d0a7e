import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { wholeNumber } from '../port/check-number.js';
import type { QueueLimits, QueueRate } from './options.js';

const counts = [
  'workerConcurrency',
  'globalConcurrency',
  'partitionConcurrency',
  'partitionWorkerConcurrency',
] as const;
const rates = ['rateLimit', 'partitionRateLimit'] as const;
/** Of each pair the first must not be more than the second. */
const orders: readonly (readonly [less: (typeof counts)[number], more: (typeof counts)[number]])[] = [
  ['workerConcurrency', 'globalConcurrency'],
  ['partitionConcurrency', 'globalConcurrency'],
  ['partitionWorkerConcurrency', 'globalConcurrency'],
  ['partitionWorkerConcurrency', 'workerConcurrency'],
  ['partitionWorkerConcurrency', 'partitionConcurrency'],
];

/** Refuses limits that DBOS would refuse later, when nobody listens. */
export function checkQueues(queues: Readonly<Record<string, QueueLimits>>): void {
  for (const [name, limits] of Object.entries(queues)) {
    const what = `dbosEngine: queues.${name}`;
    for (const count of counts) if (limits[count] !== undefined) wholeNumber(limits[count], `${what}.${count}`);
    for (const rate of rates) checkRate(limits[rate], `${what}.${rate}`);
    for (const [less, more] of orders)
      if ((limits[less] ?? 0) > (limits[more] ?? Number.POSITIVE_INFINITY))
        throw new FullstopError(
          'INVALID_OPTION',
          `${what}: ${less} is ${limits[less]} and ${more} is ${limits[more]}; the first must not be more than the second.`,
        );
  }
}

function checkRate(rate: QueueRate | undefined, what: string): void {
  if (rate === undefined) return;
  wholeNumber(rate.limitPerPeriod, `${what}.limitPerPeriod`);
  wholeNumber(rate.periodSec, `${what}.periodSec`);
}
