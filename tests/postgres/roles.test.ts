import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type PostgresEngine, postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { root } from '../../scripts/published-packages.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
const roles = ['fullstop_worker', 'fullstop_client', 'fullstop_dashboard'];

/** The statements as the documentation has them. */
function documented(): string {
  const [, block = ''] =
    /```sql\n(CREATE ROLE[\s\S]*?)```/.exec(readFileSync(join(root, 'docs/scaling.md'), 'utf8')) ?? [];
  return block;
}

function open(user?: string): PostgresEngine {
  const url = new URL(database.url);
  if (user !== undefined) url.username = user;
  const engine = postgresEngine({ url: url.href, pollMs: 100, connections: 3 });
  onTestFinished(() => engine.close());
  return engine;
}

const asking = defineRun({
  name: 'asking',
  onEnding: ['hook'],
  run: async (context) => {
    await context.step('large', () => 'x'.repeat(100_000));
    await context.wait({ id: 'go', type: 'input' });
    await context.sleep('nap', 1);
    return terminations.naturalEnd();
  },
});

describe.skipIf(isPostgresMissing)('the roles of the documentation', () => {
  beforeAll(async () => {
    if (isPostgresMissing) return;
    const owner = postgresEngine({ url: database.url });
    await owner.list();
    await owner.close();
    // Roles belong to the whole server, and others may have made them.
    for (const role of roles) await ask(database.url, `DROP ROLE IF EXISTS ${role}`).catch(() => undefined);
    await ask(database.url, documented());
    return async () => {
      for (const role of roles) await ask(database.url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    };
  });

  test('let a client start and answer what a worker executes, and a dashboard only look', async () => {
    const [worker, client, dashboard] = roles.map((role) => open(role)) as [
      PostgresEngine,
      PostgresEngine,
      PostgresEngine,
    ];
    expect(await client.start({ runId: 'r', name: 'asking', version: '1', input: 'y'.repeat(100_000) })).toBe(
      'started',
    );
    const refused = { code: 'STORE_READ_ONLY' };
    await expect(client.claim('r', 'client')).rejects.toMatchObject(refused);
    await expect(dashboard.start({ runId: 'd', name: 'asking', version: '1' })).rejects.toMatchObject(refused);
    await expect(dashboard.cancel('r', { by: 'operator' })).rejects.toMatchObject(refused);
    await expect(dashboard.claim('r', 'dashboard')).rejects.toMatchObject(refused);
    await expect(dashboard.erase('r')).rejects.toMatchObject(refused);
    await expect(dashboard.leaseNotices({ until: Date.now(), slots: { hook: 1 } })).rejects.toMatchObject(refused);
    const working = worker.worker([asking]);
    await client.waitForEnding('r', 1);
    expect(await client.answer('r', 'go', { decision: 'value', value: 1 })).toMatchObject({ status: 'delivered' });
    const ending = await client.waitForEnding('r', 2);
    expect(ending.termination.kind).toBe('natural_end');
    const leased = await worker.leaseNotices({ until: Date.now() + 1000, slots: { hook: 9 } });
    for (const { id } of leased) await worker.settleNotice(id);
    expect(leased).toHaveLength(2);
    expect(await client.cancel('r', { by: 'operator' })).toBe('ended');
    expect((await dashboard.list()).runs.map(({ runId }) => runId)).toEqual(['r']);
    expect(await dashboard.verify('r', ending.headHash)).toMatchObject({ status: 'proved' });
    expect((await dashboard.tally()).runs).toBe(1);
    expect((await dashboard.changes()).complete).toBe(true);
    await expect(worker.erase('r')).rejects.toMatchObject(refused);
    await working.stop();
    expect(await open().erase('r')).toBe('erased');
  });
});
