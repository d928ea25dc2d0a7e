import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defineRun } from '../../run/define-run.js';
import { end } from '../../run/ending/body-result.js';
import { terminations } from '../../termination/terminations.js';
import type { RunSummary } from '../port/engine.js';
import {
  alterStore,
  eventually,
  openEngine,
  pausedOn,
  rawDatabase,
  requestOpened,
  segmentEnded,
  startAndClaim,
  stepEnded,
  temporaryFile,
} from './engine.fixture.js';
import type { SqliteEngine } from './options.js';
import { sqliteEngine } from './sqlite-engine.js';

/** Bytes that are no text, where a text should be. */
const noText = "CAST(x'68ff61' AS TEXT)";

async function endedRun(engine: SqliteEngine, runId: string): Promise<void> {
  const session = await startAndClaim(engine, runId);
  session.append(stepEnded(1));
  await session.conclude(segmentEnded(session, terminations.naturalEnd()), []);
}

const counting = defineRun({
  name: 'counting',
  run: async (context, input: { readonly index: number }) =>
    end(terminations.naturalEnd(), await context.step('one', () => input.index)),
});

describe('a run of which a cell cannot be read', () => {
  it.each([
    ['entry', `UPDATE journal SET data = ${noText} WHERE run = 2`, 1],
    ['key of an entry', `UPDATE journal SET scope = ${noText} WHERE run = 2`, 1],
    ['hash', `UPDATE journal SET hash = ${noText} WHERE run = 2`, 1],
    ['opener', `UPDATE runs SET opened_by = ${noText} WHERE id = 2`, 0],
    ['parent', `UPDATE runs SET parent_run = ${noText} WHERE id = 2`, 0],
    ['message', `INSERT INTO inbox (run, type, at, data) VALUES (2, 'cancel', 1, ${noText})`, 0],
  ])('is set aside for its %s, visibly, and the others end', async (_what, sql, seq) => {
    const file = temporaryFile();
    const engine = openEngine(file);
    for (let index = 1; index <= 4; index += 1)
      await engine.start({ runId: `run-${index}`, name: 'counting', version: '1', input: { index } });
    alterStore(file, sql);
    engine.worker([counting], { concurrency: 2 });
    const healthy = ['run-1', 'run-3', 'run-4'];
    const endings = await Promise.all(healthy.map((runId) => engine.waitForEnding(runId, 1)));
    expect(endings.map(({ output }) => output)).toEqual([1, 3, 4]);
    await expect(engine.waitForEnding('run-2', 1)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining('run-2 cannot be trusted'),
    });
    const { runs } = await engine.list();
    const bad = runs.find(({ runId }) => runId === 'run-2') as RunSummary;
    expect(bad.damage).toMatchObject({ seq });
    expect(runs.filter(({ damage }) => damage !== undefined)).toHaveLength(1);
    expect(await engine.summary('run-2')).toEqual(bad);
    expect(await engine.verify('run-2')).toMatchObject({ status: 'broken' });
    await expect(engine.claim('run-2', 'me')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('continues when it is whole again, for whoever claims it by its id', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await engine.start({ runId: 'run', name: 'test', version: '1' });
    alterStore(file, 'UPDATE journal SET at = at + 1');
    await expect(engine.claim('run', 'me')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(await engine.summary('run')).toMatchObject({ state: 'ready', damage: { seq: 1 } });
    alterStore(file, 'UPDATE journal SET at = at - 1');
    const session = await engine.claim('run', 'me');
    expect(session?.history).toHaveLength(1);
    expect(await engine.summary('run')).not.toHaveProperty('damage');
  });

  it('is not listed in place of others, whatever of its row is damaged', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    for (const runId of ['a', 'b', 'c']) await endedRun(engine, runId);
    for (const column of ['name', 'version', 'kind', 'summary', 'worker', 'parent_scope']) {
      alterStore(file, `UPDATE runs SET ${column} = ${noText} WHERE id = 2`);
      const { runs } = await engine.list();
      expect(runs.map(({ runId, damage }) => [runId, damage !== undefined])).toEqual([
        ['c', false],
        ['b', true],
        ['a', false],
      ]);
      alterStore(file, `UPDATE runs SET ${column} = (SELECT ${column} FROM runs WHERE id = 1) WHERE id = 2`);
    }
  });

  it('is set aside unread once ten owners died over it', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await engine.start({ runId: 'run', name: 'test', version: '1' });
    alterStore(file, 'UPDATE runs SET recoveries = 9, recovery_seq = 1');
    const session = await engine.claim('run', 'me');
    expect(session?.recoveries).toBe(9);
    await engine.close();
    alterStore(file, 'UPDATE runs SET recoveries = 10, recovery_seq = 1');
    await expect(openEngine(file).claim('run', 'me')).rejects.toThrow('its owners died 10 times');
  });
});

describe('a death in reading', () => {
  it('is counted, because the claim is durable before anything is read', async () => {
    const file = temporaryFile();
    const engine = openEngine(file, { codec: { encode: (text) => text, decode: (text) => text } });
    await engine.start({ runId: 'run', name: 'test', version: '1' });
    let seen: unknown;
    const dying = openEngine(file, {
      codec: {
        encode: (text) => text,
        decode: () => {
          seen = rawDatabase(file).prepare('SELECT state, owner IS NOT NULL AS owned FROM runs').all()[0];
          throw new Error('the reader is not well');
        },
      },
    });
    await expect(dying.claim('run', 'me')).rejects.toThrow('not well');
    expect(seen).toEqual({ state: 'running', owned: 1 });
    // Whoever lives through it releases the run.
    expect(await engine.summary('run')).toMatchObject({ state: 'ready' });
  });
});

describe('a schema', () => {
  it.each(['DROP TRIGGER journal_ended', 'DROP INDEX runs_ready', 'ALTER TABLE runs RENAME COLUMN closed TO cdosed'])(
    'that is not as it was made is refused: %s',
    async (sql) => {
      const file = temporaryFile();
      await sqliteEngine(file).close();
      const raw = rawDatabase(file);
      raw.exec(sql);
      raw.close();
      expect(() => sqliteEngine(file)).toThrow(/is not as it was made/);
    },
  );

  it('may have what others added to it', async () => {
    const file = temporaryFile();
    await sqliteEngine(file).close();
    const raw = rawDatabase(file);
    raw.exec('CREATE INDEX mine ON runs (worker); ANALYZE');
    raw.close();
    expect((await openEngine(file).list()).runs).toEqual([]);
  });
});

describe('readers', () => {
  it.each([
    ['kind', "UPDATE runs SET kind = 'failed'"],
    ['category', "UPDATE runs SET category = 'fatal'"],
    ['outcome', "UPDATE runs SET outcome = 'failed'"],
    ['summary', "UPDATE runs SET summary = 'All is well.'"],
    ['cost', 'UPDATE runs SET cost_usd = 0.30000000000000004'],
    ['usage', 'UPDATE runs SET total_tokens = 7'],
    ['duration', 'UPDATE runs SET duration_ms = 7'],
    ['state', "UPDATE runs SET state = 'parked'"],
    ['time', 'UPDATE runs SET ended_at = 7'],
    ['table of endings', 'UPDATE runs SET ending_seq = NULL'],
    ['missing', 'DELETE FROM journal WHERE seq = 3'],
    ['does not fit its hash', `UPDATE journal SET data = replace(data, 'natural_end', 'flow_complete') WHERE seq = 3`],
  ])('are told when the table of runs and the ending differ: %s', async (word, sql) => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await endedRun(engine, 'run');
    expect(await engine.verify('run')).toEqual({ status: 'consistent', entries: 3 });
    expect(await engine.summary('run')).not.toHaveProperty('damage');
    alterStore(file, sql);
    const damage = { reason: expect.stringContaining(word) };
    expect(await engine.summary('run')).toMatchObject({ damage });
    expect((await engine.list()).runs).toMatchObject([{ damage }]);
    expect(await engine.verify('run')).toMatchObject({ status: 'broken' });
  });

  it('see the ending as the journal has it, not as the table says', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await endedRun(engine, 'run');
    alterStore(file, "UPDATE runs SET kind = 'failed', category = 'fatal', outcome = 'failed'");
    expect(await engine.summary('run')).toMatchObject({ kind: 'natural_end', outcome: 'succeeded' });
  });

  it.each([
    ['name', "UPDATE runs SET name = 'other'"],
    ['requests', "UPDATE requests SET state = 'answered'"],
    ['requests', 'DELETE FROM requests'],
    ['requests', 'UPDATE requests SET deadline = 5'],
    ['message', "UPDATE inbox SET data = replace(data, 'approve', 'disprove')"],
    ['notice', "UPDATE outbox SET payload = '{}'"],
    ['endings', 'DELETE FROM endings'],
  ])('are told by verify of damage beside the journal: %s, %s', async (_word, sql) => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const session = await startAndClaim(engine, 'run');
    session.append(requestOpened({ id: 'ok', type: 'approval' }));
    session.append(requestOpened({ id: 'more', type: 'approval' }, 1));
    const notice = { id: 'n', runId: 'run', segment: 1, target: 't', payload: '{"a":1}', attempts: 0, dueAt: 0 };
    await session.flush();
    await engine.answer('run', 'ok', { decision: 'approve', by: 'maria' });
    await session.conclude(segmentEnded(session, pausedOn('more')), [notice]);
    expect(await engine.verify('run')).toMatchObject({ status: 'consistent' });
    alterStore(file, sql);
    expect(await engine.verify('run')).toMatchObject({ status: 'broken' });
    if (sql.includes('outbox')) expect(await engine.dueNotices()).toEqual([]);
  });

  it('are told by the code of the error when an entry is no JSON any more', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await endedRun(engine, 'run');
    alterStore(file, "UPDATE journal SET data = replace(data, '{', '[') WHERE seq = 2");
    await expect(engine.journal('run')).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('find a run wherever its id is damaged, and check finds the place', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    expect(await engine.check()).toEqual([]);
    for (const runId of ['first', 'distinct', 'third']) await endedRun(engine, runId);
    await engine.close();
    const whole = readFileSync(file);
    const places: number[] = [];
    for (let at = whole.indexOf('distinct'); at >= 0; at = whole.indexOf('distinct', at + 1)) places.push(at);
    // The row of the run, its indexes, and the entries that name it.
    expect(places.length).toBeGreaterThan(5);
    for (const [turn, place] of places.entries()) {
      const copy = `${file}-${turn}`;
      const bytes = Buffer.from(whole);
      bytes.write('D', place);
      writeFileSync(copy, bytes);
      const damaged = openEngine(copy);
      const found = [await damaged.summary('distinct'), await damaged.summary('Distinct')];
      const isTold =
        found.some((run) => run?.damage !== undefined) ||
        (await damaged.verify('distinct')).status === 'broken' ||
        (await damaged.check()).length > 0;
      expect([place, isTold]).toEqual([place, true]);
      await damaged.close();
    }
  });
});

it('a worker that found only damage waits for others', async () => {
  const file = temporaryFile();
  const engine = openEngine(file);
  await engine.start({ runId: 'bad', name: 'counting', version: '1', input: { index: 0 } });
  alterStore(file, `UPDATE journal SET data = ${noText}`);
  engine.worker([counting]);
  await eventually(async () => (await engine.summary('bad'))?.damage !== undefined);
  await engine.start({ runId: 'good', name: 'counting', version: '1', input: { index: 5 } });
  expect(await engine.waitForEnding('good', 1)).toMatchObject({ output: 5 });
});
