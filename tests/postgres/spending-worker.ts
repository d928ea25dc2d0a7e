import { dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { spendingRuns } from './spending.js';

// A program of its own: a worker with one place in each queue, whose runs spend what their provider charges.

const [url = '', schema = '', name = '', provider = ''] = process.argv.slice(2);
const engine = dbosEngine({ url, schema, connections: 3, queuePollMs: 20, pollMs: 100, leaseMs: 1_000_000 });
engine.worker(
  spendingRuns(async () => {
    await fetch(`${provider}/${name}`);
  }),
  { concurrency: 1 },
);
process.stdout.write('working\n');
