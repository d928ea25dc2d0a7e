import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findStranded } from '../../packages/fullstop/src/engines/dbos/dispatch-queries.js';
import { presenceClass } from '../../packages/fullstop/src/engines/dbos/presence-class.js';
import { Sql, Statements } from '../../packages/fullstop/src/engines/postgres/connection/sql.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { dispatchesOf, openDbos, startStubborn } from './dbos-engine.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
/** Longer than any test may take: whoever is silent is not taken for dead. */
const endless = 1_000_000;

const stubborn = defineRun({
  name: 'stubborn',
  run: async (context) => {
    const first = await context.step('first', () => -1);
    const second = await context.step('second', () => -2);
    return terminations.custom({ reason: 'ended', category: 'success', properties: { first, second } });
  },
});
const start = { runId: 'run', name: 'stubborn', version: '1' };

/** The processes of the server that serve the sessions by which the executor of a run shows itself. */
async function presenceOf(schema: string): Promise<readonly number[]> {
  const [dispatch] = await dispatchesOf(database.url, schema);
  const rows = await ask<{ pid: number }>(
    database.url,
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = $1 AND objid::bigint = hashtext('executor ' || $2)::bigint & 4294967295",
    [presenceClass, dispatch?.executor_id],
  );
  return rows.map(({ pid }) => pid);
}

async function endPresence(schema: string): Promise<void> {
  const [pid = 0] = await presenceOf(schema);
  await ask(database.url, 'SELECT pg_terminate_backend($1)', [pid]);
  await expect.poll(() => presenceOf(schema)).not.toContain(pid);
}

describe.skipIf(isPostgresMissing)('a worker that loses the session by which it shows itself', () => {
  test('and cannot make another for a while keeps its runs, and nobody cancels them', async () => {
    const schema = 'unseen';
    const engine = openDbos({ url: database.url, schema, leaseMs: endless });
    await engine.start(start);
    const child = startStubborn(database.url, schema, endless);
    await expect.poll(child.said).toContain('in the second step');
    child.process.kill('SIGSTOP');
    await endPresence(schema);
    const other = engine.worker([stubborn]);
    await engine.start({ ...start, runId: 'later' });
    // Whoever queued and executed this one has looked at the others before.
    await engine.waitForEnding('later', 1);
    const [dispatch] = await dispatchesOf(database.url, schema);
    expect(dispatch).toMatchObject({ workflow_uuid: `run:1:0@${schema}.`, status: 'PENDING' });
    child.process.kill('SIGCONT');
    child.process.stdin?.write('continue\n');
    const { termination } = await engine.waitForEnding('run', 1);
    const { pid } = child.process;
    expect(termination).toMatchObject({ properties: { first: pid, second: pid } });
    expect(await engine.journal('run', { types: ['cancel_requested'] })).toEqual([]);
    await expect
      .poll(async () => (await dispatchesOf(database.url, schema)).map(({ status }) => status))
      .toEqual(['SUCCESS', 'SUCCESS']);
    await other.stop();
  });

  test('and claims its run while somebody gives it up keeps it', async () => {
    const schema = 'between';
    const engine = openDbos({ url: database.url, schema, listen: ['elsewhere'] });
    const worker = engine.worker([stubborn]);
    await engine.start(start);
    const id = `run:1:0@${schema}.`;
    await expect
      .poll(async () => (await dispatchesOf(database.url, schema)).map((row) => row.workflow_uuid))
      .toEqual([id]);
    await worker.stop();
    const text = "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = 'unseen' WHERE workflow_uuid = $1";
    await ask(database.url, text, [id]);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(() => client.end());
    const tables = { schema, dbosSchema: 'dbos' };
    const claimed = `UPDATE "${schema}".runs SET state = 'running', epoch = epoch + 1 WHERE state = 'ready'`;
    const between = new (class extends Sql {
      override async run(...given: Parameters<Sql['run']>): Promise<number> {
        await ask(database.url, claimed);
        return super.run(...given);
      }
    })(client, new Statements(schema, false));
    expect(await findStranded(between, tables, endless)).toEqual({ stranded: [], isInDoubt: true });
    // While it is executed, and once it was taken from whoever has it.
    const sql = new Sql(client, new Statements(schema, false));
    expect(await findStranded(sql, tables, endless)).toEqual({ stranded: [], isInDoubt: false });
    await ask(database.url, `UPDATE "${schema}".runs SET state = 'ready', epoch = epoch + 1`);
    expect(await findStranded(sql, tables, endless)).toEqual({ stranded: [id], isInDoubt: false });
  });
});
