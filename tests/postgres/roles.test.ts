import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type PostgresEngine, postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { root } from '../../scripts/published-packages.js';
import { openDbos } from './dbos-engine.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
const roles = ['fullstop_worker', 'fullstop_client', 'fullstop_dashboard'];

/** The statements as the documentation has them: the first ones of a page. */
function documented(page: string): string {
  const [, block] = /```sql\n((?:CREATE ROLE|GRANT)[\s\S]*?)```/.exec(readFileSync(join(root, page), 'utf8')) ?? [];
  if (block === undefined) throw new Error(`${page} has no statements that grant rights.`);
  return block;
}

/** The database as a role sees it. */
function urlOf(user: string): string {
  const url = new URL(database.url);
  url.username = user;
  return url.href;
}

function open(user?: string): PostgresEngine {
  const engine = postgresEngine({
    url: user === undefined ? database.url : urlOf(user),
    pollMs: 100,
    connections: 3,
  });
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
    await ask(database.url, documented('docs/scaling.md'));
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

  test('let a worker on DBOS execute what is dispatched, once the owner has launched it', async () => {
    // It makes the tables of DBOS, and leaves.
    const owner = openDbos({ url: database.url });
    owner.worker([asking]);
    await owner.start({ runId: 'first', name: 'asking', version: '1' });
    await owner.waitForEnding('first', 1);
    await owner.close();
    const client = open('fullstop_client');
    const errors: string[] = [];
    const onError = ({ message }: Error): void => void errors.push(message);
    const engine = openDbos({ url: urlOf('fullstop_worker'), onError });
    engine.worker([asking]);
    // Without them it says what is missing, and tries again.
    await expect.poll(() => errors).toContainEqual(expect.stringContaining('docs/dbos.md lists what workers need'));
    await ask(database.url, documented('docs/dbos.md'));
    for (const runId of ['dispatched', 'cancelled'])
      expect(await client.start({ runId, name: 'asking', version: '1' })).toBe('started');
    await client.waitForEnding('dispatched', 1);
    await client.waitForEnding('cancelled', 1);
    expect(await client.answer('dispatched', 'go', { decision: 'value', value: 1 })).toMatchObject({
      status: 'delivered',
    });
    expect((await client.waitForEnding('dispatched', 2)).termination.kind).toBe('natural_end');
    expect(await client.cancel('cancelled', { by: 'operator' })).toBe('requested');
    expect((await client.waitForEnding('cancelled', 2)).termination.kind).toBe('cancelled');
    const dispatches = await ask<{ id: string }>(
      database.url,
      "SELECT DISTINCT attributes->>'runId' AS id FROM dbos.workflow_status WHERE attributes ? 'runId' ORDER BY 1",
    );
    expect(dispatches.map(({ id }) => id)).toEqual(['cancelled', 'dispatched', 'first']);
    expect(await engine.unserved()).toEqual([]);
    // Schedules are rows of DBOS too.
    await engine.schedule(asking, { cron: '0 0 1 1 *', input: 1 });
    expect(await engine.schedules()).toHaveLength(1);
    expect(await engine.unschedule('asking')).toBe(true);
    expect(errors.filter((message) => !message.includes('permission denied'))).toEqual([]);
  });
});
