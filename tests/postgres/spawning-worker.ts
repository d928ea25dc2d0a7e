import { dbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { fanOut } from './spawning.js';

// A program of its own: a worker with one place in each queue.

const [url = '', schema = '', name = ''] = process.argv.slice(2);
const engine = dbosEngine({ url, schema, connections: 3, queuePollMs: 20, pollMs: 100, leaseMs: 1_000_000 });
engine.worker([fanOut(name)], { concurrency: 1 });
process.stdout.write('working\n');
