import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Charge } from '../../packages/fullstop/src/engines/port/usage.js';
import { type PostgresEngine, postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import type { StoredEntry } from '../../packages/fullstop/src/engines/store/operations.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

function open(schema: string): PostgresEngine {
  const engine = postgresEngine({ url: database.url, schema, connections: 3 });
  onTestFinished(() => engine.close());
  return engine;
}

const work = defineRun({
  name: 'work',
  run: async (context, charged?: Charge) => {
    await context.step('a', ({ charge }) => {
      if (charged !== undefined) charge(charged);
      return 1;
    });
    return terminations.naturalEnd();
  },
});

describe.skipIf(isPostgresMissing)('a store on Postgres', () => {
  test('names the runs with new entries, whoever appended them, and says so where runs were removed', async () => {
    const [writer, follower] = [open('changed'), open('changed')];
    await work.run(undefined, { engine: writer, runId: 'a' });
    const { at, ...nothing } = await follower.changes();
    expect(nothing).toEqual({ runIds: [], complete: true });
    await work.run(undefined, { engine: writer, runId: 'b' });
    // Whatever else is under way on the server holds the place back for a moment.
    await expect.poll(async () => (await follower.changes(at)).runIds).toContain('b');
    expect(await writer.erase('a', { by: 'ann' })).toBe('erased');
    await expect.poll(async () => (await follower.changes(at)).complete).toBe(false);
    await expect.poll(async () => (await follower.changes((await follower.changes()).at)).runIds).toEqual([]);
    expect(await writer.verify('a')).toMatchObject({ status: 'erased', entries: 3, by: 'ann' });
  });

  test('does not take for damage what another owner has written while a claimed run was being read', async () => {
    const engine = open('overtaken');
    await engine.start({ runId: 'a', name: 'work', version: '1' });
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('BEGIN; LOCK TABLE overtaken.endings IN ACCESS EXCLUSIVE MODE');
    const claim = engine.claim('a', 'slow');
    // The journal of the claimed run is read by now or soon; its endings only once they are free again.
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%endings%'`;
    await expect.poll(async () => (await ask<{ n: number }>(database.url, waiting))[0]?.n).toBe(1);
    await other.query(`UPDATE overtaken.runs SET epoch = epoch + 1, owner = NULL, state = 'ready';
      INSERT INTO overtaken.endings (run, segment, seq, closed) SELECT id, 1, 99, 0 FROM overtaken.runs; COMMIT`);
    expect(await claim).toBeUndefined();
    expect(await ask(database.url, 'SELECT damaged_seq, epoch::int FROM overtaken.runs')).toEqual([
      { damaged_seq: null, epoch: 2 },
    ]);
  });

  test('is verified while a journal is read, and has the same entries', async () => {
    const engine = open('verified');
    await work.run(undefined, { engine, runId: 'a' });
    const entries: StoredEntry[] = [];
    const verification = await engine.readVerified('a', (part) => entries.push(...part));
    expect(verification).toEqual(await engine.verify('a'));
    const journal = await engine.journal('a');
    expect(entries.map(({ seq, hash }) => ({ seq, hash }))).toEqual(journal.map(({ seq, hash }) => ({ seq, hash })));
    expect(entries.map(({ data }) => JSON.parse(data) as unknown)).toEqual(journal.map(({ data }) => data));
  });

  test('counts runs by name, and prunes what ended', async () => {
    const engine = open('counted');
    await work.run(undefined, { engine, runId: 'a' });
    await work.run({ inputTokens: 1, estimated: true }, { engine, runId: 'b' });
    expect(await engine.tally()).toMatchObject({
      runs: 2,
      names: [{ name: 'work', count: 2, unfinished: 0, categories: { success: 2 } }],
      kinds: [{ kind: 'natural_end', count: 2, estimated: 1 }],
    });
    expect(await engine.prune({ endedBefore: Date.now() + 1000, keep: 1 })).toBe(1);
    expect((await engine.list()).runs).toHaveLength(1);
    expect(await engine.check()).toEqual([]);
  });

  test('that somebody changed is found out, and the run is not executed', async () => {
    const engine = open('changed_by_hand');
    await work.run(undefined, { engine, runId: 'ended' });
    await engine.start({ runId: 'ready', name: 'work', version: '1' });
    await ask(database.url, 'DROP TRIGGER journal_fixed ON changed_by_hand.journal');
    await ask(
      database.url,
      "UPDATE changed_by_hand.journal SET data = replace(data, 'work', 'mischief') WHERE seq = 1",
    );
    expect(await engine.verify('ended')).toMatchObject({ status: 'broken', seq: 1 });
    const parts: (readonly StoredEntry[])[] = [];
    expect(await engine.readVerified('ended', (part) => parts.push(part))).toMatchObject({ status: 'broken', seq: 1 });
    expect(parts).toEqual([[]]);
    await expect(engine.claim('ready', 'w')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(await engine.summary('ready')).toMatchObject({ state: 'ready', damage: { seq: 1 } });
  });

  test('refuses to change entries and endings', async () => {
    await work.run(undefined, { engine: open('fixed'), runId: 'a' });
    for (const change of ["UPDATE fixed.journal SET data = '{}'", 'UPDATE fixed.endings SET closed = 0'])
      await expect(ask(database.url, change)).rejects.toThrow('entries and endings never change');
  });

  test('of a newer version is refused and not touched', async () => {
    await work.run(undefined, { engine: open('newer'), runId: 'a' });
    await ask(database.url, 'UPDATE newer.schema_version SET version = 99');
    await expect(open('newer').list()).rejects.toMatchObject({ code: 'STORE_NEWER' });
  });

  test('of another program is refused and not touched', async () => {
    await ask(database.url, 'CREATE SCHEMA theirs');
    await ask(database.url, 'CREATE TABLE theirs.things (id INTEGER)');
    await expect(open('theirs').list()).rejects.toMatchObject({ code: 'STORE_NOT_A_DATABASE' });
    expect(await ask(database.url, "SELECT tablename FROM pg_tables WHERE schemaname = 'theirs'")).toHaveLength(1);
  });
});
