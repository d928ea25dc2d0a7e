import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { breakingPool } from './breaking-pool.js';
import { openDbosOn } from './dbos-engine.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

const work = defineRun({
  name: 'work',
  run: async (context) => {
    const first = await context.step('a', () => 1);
    const second = await context.step('b', () => 2);
    return terminations.custom({ reason: 'ended', category: 'success', properties: { first, second } });
  },
});

function givenPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: database.url, max: 3 });
  onTestFinished(() => pool.end());
  return pool;
}

describe.skipIf(isPostgresMissing)('an engine on a pool of somebody else', () => {
  test('works on it, shares it with another store, and leaves it as it was', async () => {
    const pool = givenPool();
    const engines = ['one', 'two'].map((schema) => postgresEngine({ pool, schema }));
    const results = await Promise.all(engines.map((engine) => work.run(undefined, { engine, runId: 'a' })));
    for (const [index, engine] of engines.entries()) {
      expect(results[index]?.termination).toMatchObject({ properties: { first: 1, second: 2 } });
      expect(await engine.verify('a', results[index]?.headHash)).toMatchObject({ status: 'proved' });
      await engine.close();
    }
    expect(pool.listenerCount('error')).toBe(0);
    // Numbers are texts there, as its owner expects.
    expect((await pool.query("SELECT count(*) FROM one.journal WHERE type = 'step_ended'")).rows).toEqual([
      { count: '2' },
    ]);
    expect((await pool.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
  });

  test('has workers, with a session made like its connections, and DBOS beside it', async () => {
    const pool = givenPool();
    const engine = openDbosOn(pool, { schema: 'queued' });
    await engine.start({ runId: 'a', name: 'work', version: '1' });
    const worker = engine.worker([work]);
    await engine.waitForEnding('a', 1);
    const names = await ask<{ application_name: string }>(
      database.url,
      'SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    expect(names.map(({ application_name: name }) => name)).toEqual(
      expect.arrayContaining(['fullstop dbos', 'fullstop session', '']),
    );
    await worker.stop();
    await engine.close();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  test('sets its limits in each of its transactions, those of shared accounts among them', async () => {
    const begun: string[] = [];
    const isLost = (text: string): boolean => {
      if (text.startsWith('BEGIN')) begun.push(text);
      return false;
    };
    const pool = breakingPool(givenPool(), { isLost });
    const engine = postgresEngine({ pool, schema: 'limited' });
    onTestFinished(() => engine.close());
    await work.run(undefined, { engine, runId: 'a' });
    const before = begun.length;
    await engine.spending?.share({ runId: 'a', ancestors: [], tokens: 1, costUsd: 0, limits: {} });
    expect(begun).toHaveLength(before + 1);
    expect(begun.filter((text) => !text.includes('SET LOCAL statement_timeout'))).toEqual([]);
  });

  test('is refused where a pool is not enough, or there is none', () => {
    const pool = givenPool();
    const { options: _, ...bare } = { connect: () => pool.connect(), query: () => pool.query(''), options: {} };
    for (const [options, message] of [
      [{}, 'neither url nor pool is given'],
      [{ pool, url: database.url }, 'both url and pool are given'],
      [{ pool: { query: 1 } }, 'it must be a pool of the package pg'],
      [{ pool, connections: 3 }, 'connections and ssl belong to url'],
      [{ pool: bare }, 'pool has no options'],
    ] as const)
      expect(() => postgresEngine(options as never)).toThrow(message);
  });
});

describe.skipIf(isPostgresMissing)('a connection that breaks after a commit', () => {
  const steps = defineRun({
    name: 'steps',
    run: async (context) => {
      for (let step = 0; step < 4; step += 1) await context.step(`s${step}`, () => step);
      return terminations.naturalEnd();
    },
  });

  test('and again while that is found out, writes no entry twice', async () => {
    // Every fifth commit, every third entry, of the questions after that all but every third, and every second reading of what was claimed.
    const kinds = [
      { begins: 'COMMIT', count: 0, breaks: (nth: number) => nth % 5 === 0 },
      { begins: 'WITH held', count: 0, breaks: (nth: number) => nth % 3 === 0 },
      { begins: 'SELECT epoch, (SELECT array_agg(hash', count: 0, breaks: (nth: number) => nth % 3 !== 0 },
      { begins: 'SELECT run, segment, seq FROM', count: 0, breaks: (nth: number) => nth % 2 === 0 },
    ];
    let isOver = false;
    const isLost = (text: string): boolean => {
      const kind = kinds.find(({ begins }) => text.startsWith(begins));
      if (isOver || kind === undefined) return false;
      kind.count += 1;
      return kind.breaks(kind.count);
    };
    const pool = breakingPool(givenPool(), { isLost });
    const engine = postgresEngine({ pool, schema: 'broken', leaseMs: 60_000 });
    onTestFinished(() => engine.close());
    const ids = Array.from({ length: 12 }, (_, index) => `run-${index}`);
    const worker = engine.worker([steps], { concurrency: 4 });
    await Promise.all(ids.map((runId) => engine.start({ runId, name: 'steps', version: '1' })));
    const endings = await Promise.all(ids.map((runId) => engine.waitForEnding(runId, 1)));
    isOver = true;
    for (const { runId, headHash, termination } of endings) {
      expect(termination.kind).toBe('natural_end');
      expect(await engine.verify(runId, headHash)).toMatchObject({ status: 'proved' });
      const ended = await engine.journal(runId, { types: ['step_ended'] });
      expect(ended.map(({ key }) => key)).toEqual(['s0', 's1', 's2', 's3']);
    }
    expect(Math.min(...kinds.map(({ count }) => count))).toBeGreaterThan(2);
    await worker.stop();
  });
});
