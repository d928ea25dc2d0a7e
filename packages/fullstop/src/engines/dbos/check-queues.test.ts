import { expect, test } from 'vitest';
import { checkQueues } from './check-queues.js';

test('limits that DBOS knows are taken', () => {
  expect(() =>
    checkQueues({
      fullstop: { workerConcurrency: 2, globalConcurrency: 2, rateLimit: { limitPerPeriod: 5, periodSec: 1 } },
      shared: { partitionConcurrency: 1, partitionWorkerConcurrency: 1 },
    }),
  ).not.toThrow();
});

test.each([
  [{ globalConcurrency: 0 }, 'dbosEngine: queues.q.globalConcurrency is 0; it must be a whole number above 0.'],
  [
    { workerConcurrency: 5, globalConcurrency: 2 },
    'dbosEngine: queues.q: workerConcurrency is 5 and globalConcurrency is 2; the first must not be more than the second.',
  ],
  [
    { rateLimit: { limitPerPeriod: 1, periodSec: -1 } },
    'dbosEngine: queues.q.rateLimit.periodSec is -1; it must be a whole number above 0.',
  ],
])('limits that mean nothing are refused: %j', (limits, message) => {
  expect(() => checkQueues({ q: limits })).toThrow(message);
});
