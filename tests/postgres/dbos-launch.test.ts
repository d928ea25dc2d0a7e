import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inLaunchTurn } from '../../packages/fullstop/src/engines/dbos/launch-turn.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { gate, openDbos, startStubborn } from './dbos-engine.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
const leaseMs = 15_000;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

describe.skipIf(isPostgresMissing)('the launch of DBOS', () => {
  test('keeps nobody who builds an index from ending while others wait for their turn', async () => {
    const [first, second] = [await connect(), await connect()];
    const asked = gate();
    const waiting = {
      query: ({ text, values = [] }: { readonly text: string; readonly values?: readonly unknown[] }) => {
        const answer = second.query(text, [...values]);
        asked.open();
        return answer;
      },
    };
    const order: string[] = [];
    await ask(database.url, 'CREATE TABLE shelf (book int)');
    let next: Promise<unknown> = Promise.resolve();
    await inLaunchTurn(first, 'shelves', async () => {
      next = inLaunchTurn(waiting, 'shelves', async () => order.push('second'));
      await asked.passed;
      const builder = await connect();
      await builder.query("SET statement_timeout = '60s'");
      await builder.query('CREATE INDEX CONCURRENTLY books ON shelf (book)');
      order.push('first');
    });
    await next;
    expect(order).toEqual(['first', 'second']);
  });

  test('is waited for by whoever asks what nobody serves, or prunes, while the tables are being made', async () => {
    const schema = 'early';
    await ask(database.url, 'CREATE SCHEMA half_made');
    // As DBOS makes it first; the columns that it adds later are not there yet.
    await ask(database.url, 'CREATE TABLE half_made.workflow_status (workflow_uuid text PRIMARY KEY, status text)');
    await ask(database.url, 'CREATE TABLE half_made.workflow_schedules (schedule_id text PRIMARY KEY)');
    const engine = openDbos({ url: database.url, schema, dbosSchema: 'half_made' });
    await engine.start({ runId: 'run', name: 'of nobody', version: '1' });
    expect(await engine.unserved()).toEqual([{ name: 'of nobody', version: '1', ready: 1, parked: 0 }]);
    expect(await engine.schedules()).toEqual([]);
    expect(await engine.erase('run')).toBe('erased');
  });

  test('by workers that start together on a new database, while a schedule is made, leaves one version of its tables', async () => {
    const schema = 'together';
    const engine = openDbos({ url: database.url, schema, leaseMs });
    const workers = Array.from({ length: 3 }, () => startStubborn(database.url, schema, leaseMs));
    const nightly = defineRun({ name: 'nightly', run: async () => terminations.naturalEnd() });
    await engine.schedule(nightly, { cron: '0 3 * * *', input: {} });
    for (let index = 0; index < workers.length; index += 1)
      await engine.start({ runId: `run ${index}`, name: 'stubborn', version: '1' });
    await expect.poll(() => workers.some((each) => each.said().includes('in the second step'))).toBe(true);
    expect(await ask(database.url, 'SELECT count(*)::int AS versions FROM dbos.dbos_migrations')).toEqual([
      { versions: 1 },
    ]);
    for (const each of workers) each.process.kill('SIGKILL');
  });
});
