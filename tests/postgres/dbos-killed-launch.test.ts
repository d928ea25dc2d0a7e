import { once } from 'node:events';
import { expect, test } from 'vitest';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { openDbos } from './dbos-engine.js';
import { startProgram } from './start-program.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();
const work = defineRun({
  name: 'work',
  run: async (context) => terminations.custom({ reason: await context.step('do', () => 'done'), category: 'success' }),
});

/** The versions that the tables of DBOS have according to them: one, once they are made. */
async function versions(dbosSchema: string): Promise<readonly number[]> {
  const [found] = await ask(database.url, 'SELECT 1 WHERE to_regclass($1) IS NOT NULL', [
    `${dbosSchema}.dbos_migrations`,
  ]);
  if (found === undefined) return [];
  const rows = await ask<{ version: number }>(database.url, `SELECT version::int FROM ${dbosSchema}.dbos_migrations`);
  return rows.map(({ version }) => version);
}

/** The words of the statement after which the first worker was killed, and how many statements with them it had sent by then. */
const moments = {
  'the schema': ['CREATE SCHEMA', 1],
  'its first table': ['workflow_status', 1],
  'the number of its first version': ['INSERT INTO', 1],
  'a column of an early version': ['ADD COLUMN', 3],
  'an index that is built beside the work of others': ['CREATE INDEX CONCURRENTLY', 2],
  'the removal of such an index': ['DROP INDEX CONCURRENTLY', 4],
  'the beginning of a version in one transaction': ['BEGIN', 2],
  'the end of a version in one transaction': ['COMMIT', 3],
} as const;

test.skipIf(isPostgresMissing).each(Object.entries(moments))(
  'a worker that was killed with %s does not keep the next one from launching DBOS',
  async (moment, [words, times]) => {
    const name = `killed_${Object.keys(moments).indexOf(moment)}`;
    const dbosSchema = `dbos_${name}`;
    const child = startProgram('./launching-worker.ts', [database.url, name, dbosSchema, words, String(times)]);
    const [, signal] = await once(child.process, 'exit');
    expect({ signal, said: child.said() }).toEqual({ signal: 'SIGKILL', said: '' });
    const reached = await versions(dbosSchema);
    const engine = openDbos({ url: database.url, schema: name, dbosSchema });
    const worker = engine.worker([work]);
    await engine.start({ runId: 'run', name: 'work', version: '1' });
    expect(await engine.waitForEnding('run', 1)).toMatchObject({ termination: { reason: 'done' } });
    const ofSchema = 'JOIN pg_class c ON c.oid = x.indexrelid WHERE c.relnamespace = $1::regnamespace';
    const invalid = `SELECT c.relname FROM pg_index x ${ofSchema} AND NOT x.indisvalid`;
    expect(await ask(database.url, invalid, [dbosSchema])).toEqual([]);
    const [version = 0, ...others] = await versions(dbosSchema);
    expect(others).toEqual([]);
    expect(version).toBeGreaterThan(reached[0] ?? 0);
    await worker.stop();
  },
);
