import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cluster, missingOwnServer, startCluster } from '../postgres/cluster.js';
import { ask } from '../postgres/test-database.js';
import { Place, type Started } from './binary.js';
import { workflows } from './workflows.js';

let place: Place;
const started: Started[] = [];
beforeEach(() => {
  place = new Place();
  place.write(workflows);
});
afterEach(async () => {
  for (const { child, finished } of started.splice(0)) {
    child.kill('SIGKILL');
    await finished;
  }
  place.remove();
});

async function startWorker(
  store: string,
  ...more: readonly string[]
): Promise<{ readonly worker: Started; readonly address: string }> {
  const worker = place.start(['worker', '--health', '0', ...more], { FULLSTOP_STORE: store });
  started.push(worker);
  let said = '';
  worker.child.stderr?.on('data', (text: Buffer) => {
    said += String(text);
  });
  await worker.says('Waiting for runs');
  const [, address = ''] = /metrics: (http:\S+)/.exec(said) ?? [];
  return { worker, address };
}

async function get(
  address: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(address, init);
  return { status: response.status, text: await response.text() };
}

/** Its step says that it began, and takes until it is told to end. */
const held = `workflow: {name: held, entry_point: hold}
agents:
  - name: hold
    type: script
    command: sh
    args: ["-c", "echo begun >> begun.txt; i=0; until [ -e go.txt ] || [ $i -gt 2000 ]; do i=$((i+1)); sleep 0.05; done"]
    routes: [{to: next}]
  - {name: next, type: script, command: "true", routes: [{to: $end}]}
`;

function timesBegun(): number {
  const file = place.path('begun.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

describe('fullstop worker --health', () => {
  it('says that it lives, is ready and what it does, and that it drains after SIGTERM', async () => {
    const detached = await place.run(['run', 'loop.yaml', '--run-id', 'first'], { FULLSTOP_STORE: 'runs.db' });
    expect(detached.code).toBe(3);
    const { worker, address } = await startWorker('runs.db');
    expect(await get(`${address}/healthz`)).toEqual({ status: 200, text: 'alive\n' });
    expect(await get(`${address}/readyz`)).toEqual({ status: 200, text: 'ready\n' });
    expect(await get(`${address}/else`)).toMatchObject({ status: 404 });
    expect(await get(`${address}/readyz`, { method: 'POST' })).toMatchObject({ status: 405 });
    place.write({ 'held.yaml': held });
    const left = place.start(['run', 'held.yaml', '--run-id', 'held'], { FULLSTOP_STORE: 'runs.db' });
    started.push(left);
    await expect.poll(timesBegun).toBe(1);
    left.child.kill('SIGKILL');
    await expect.poll(timesBegun).toBe(2);
    expect((await get(`${address}/metrics`)).text).toContain('fullstop_worker_segments_running 1\n');
    // The step that is under way holds the worker while it drains.
    worker.child.kill('SIGTERM');
    await expect.poll(async () => (await get(`${address}/readyz`)).status).toBe(503);
    expect((await get(`${address}/metrics`)).text).toContain('fullstop_worker_draining 1\n');
    expect(await get(`${address}/healthz`)).toMatchObject({ status: 200 });
    place.write({ 'go.txt': '' });
    expect((await worker.finished).code).toBe(0);
    // Only the step was finished: the rest is for others.
    const { stdout } = await place.run(['runs', '--state', 'ready', '--ids'], { FULLSTOP_STORE: 'runs.db' });
    expect(stdout).toContain('held');
  });

  it.each(['none', '70000', 'host:'])('refuses %j as a place', async (health) => {
    const { code, stderr } = await place.run(['worker', '--health', health], { FULLSTOP_STORE: 'runs.db' });
    expect(code).toBe(2);
    expect(stderr).toContain('--health');
  });
});

const missing = missingOwnServer();
if (missing !== undefined && process.env['REQUIRE_ENGINES'] === '1') throw new Error(missing);

describe.skipIf(missing !== undefined)('fullstop worker --health on Postgres', () => {
  it('is not ready while the server is away, and works again once it is back', async () => {
    const cluster: Cluster = await startCluster();
    try {
      const { address } = await startWorker(cluster.url);
      expect(await get(`${address}/readyz`)).toEqual({ status: 200, text: 'ready\n' });
      await cluster.kill?.();
      await expect.poll(async () => (await get(`${address}/readyz`)).status).toBe(503);
      expect((await get(`${address}/metrics`)).text).toContain('fullstop_worker_store_up 0\n');
      await cluster.restart?.();
      await expect.poll(async () => (await get(`${address}/readyz`)).status).toBe(200);
      await place.run(['run', 'refund.yaml', '-i', 'age=60', '--run-id', 'asked'], { FULLSTOP_STORE: cluster.url });
      await place.run(['answer', 'asked', '--choose', 'approve'], { FULLSTOP_STORE: cluster.url });
      await expect
        .poll(
          async () => (await place.run(['runs', '--ids', '--state', 'ended'], { FULLSTOP_STORE: cluster.url })).stdout,
        )
        .toContain('asked');
    } finally {
      await cluster.stop();
    }
  });

  it('is ready for runs from queues only once DBOS could be launched, and while it reaches its tables', async () => {
    const cluster: Cluster = await startCluster();
    try {
      await place.run(['runs'], { FULLSTOP_STORE: cluster.url });
      await ask(
        cluster.url,
        `CREATE ROLE taker LOGIN; GRANT USAGE ON SCHEMA fullstop TO taker;
         GRANT ALL ON ALL TABLES IN SCHEMA fullstop TO taker; GRANT USAGE ON ALL SEQUENCES IN SCHEMA fullstop TO taker`,
      );
      const { address } = await startWorker(cluster.url.replace('postgres@', 'taker@'), '--queue', 'fullstop');
      await expect.poll(() => get(`${address}/readyz`)).toEqual({ status: 503, text: 'the queues do not answer\n' });
      expect((await get(`${address}/metrics`)).text).toContain('fullstop_worker_store_up 1\n');
      await ask(cluster.url, 'GRANT CREATE ON DATABASE postgres TO taker');
      await expect.poll(() => get(`${address}/readyz`)).toEqual({ status: 200, text: 'ready\n' });
      await ask(cluster.url, 'REVOKE ALL ON SCHEMA dbos FROM taker; ALTER SCHEMA dbos OWNER TO postgres');
      await expect.poll(async () => (await get(`${address}/readyz`)).status).toBe(503);
    } finally {
      await cluster.stop();
    }
  });
});
