import { startCluster } from '../tests/postgres/cluster.js';
import { benchAlone } from './postgres/bench-alone.js';
import { benchCommits } from './postgres/commits.js';
import { benchSharing } from './postgres/sharing.js';
import { benchSteps } from './postgres/steps.js';

/**
 * Steps, throughput of one and of two processes, commits, parked runs and take-over on a real server whose commits reach the disk. Server, workers and whoever measures
 * share the cores of one machine: ratios say something, times say little about other machines.
 */
export async function benchPostgres(): Promise<void> {
  const cluster = await startCluster({ durable: true });
  console.log(`\npostgres (${cluster.origin})`);
  try {
    await benchSteps(cluster.url);
    await benchCommits(cluster.url);
    await benchSharing(cluster.url);
    for (const store of ['postgres', 'dbos'] as const) {
      benchAlone('parked', cluster.url, store);
      benchAlone('take-over', cluster.url, store);
    }
  } finally {
    await cluster.stop();
  }
}
