import { describe, expect, it } from 'vitest';
import { claimed, handClock, openEngine, rawDatabase, segmentEnded, temporaryFile } from '../engine.fixture.js';
import { written } from './version-1.fixture.js';
import { pausedCondition } from './version-5.js';
import { landmarkCondition } from './version-6.js';

function columnsOfUse(file: string): readonly unknown[] {
  return rawDatabase(file).prepare('SELECT run_id, total_tokens, cost_usd, duration_ms FROM runs ORDER BY id').all();
}

describe('a file of schema version 1', () => {
  it('opens with everything in it, and continues', async () => {
    const file = temporaryFile();
    const raw = rawDatabase(file);
    raw.exec(written);
    raw.close();
    const engine = openEngine(file, { clock: handClock(1_800_000_001_000) });
    expect((await engine.list()).runs.map(({ runId, state, kind }) => [runId, state, kind])).toEqual([
      ['paused', 'parked', 'interaction_pending'],
      ['done', 'ended', 'natural_end'],
    ]);
    expect(columnsOfUse(file)).toEqual([
      { run_id: 'done', total_tokens: 0, cost_usd: 0, duration_ms: 0 },
      { run_id: 'paused', total_tokens: 0, cost_usd: 0, duration_ms: 0 },
    ]);
    expect(await engine.verify('done', (await engine.ending('done'))?.headHash)).toEqual({
      status: 'proved',
      entries: 3,
      seq: 3,
    });
    expect(await engine.openRequests('paused')).toMatchObject([{ id: 'ok', type: 'approval' }]);
    expect(await engine.answer('paused', 'ok', { decision: 'approve', by: 'maria' })).toMatchObject({
      status: 'delivered',
    });
    const session = await claimed(engine, 'paused');
    expect(session.input).toEqual({ runId: 'paused' });
    await session.conclude(segmentEnded(session), []);
    expect(await engine.verify('paused')).toEqual({ status: 'consistent', entries: 5 });
    expect(await engine.dueNotices()).toMatchObject([{ id: 'notice', runId: 'done', payload: '{"told":true}' }]);
  });

  it('is made once, however many open it at the same time', async () => {
    const file = temporaryFile();
    const engines = Array.from({ length: 5 }, () => openEngine(file));
    await Promise.all(engines.map((engine, index) => engine.start({ runId: `run-${index}`, name: 'n', version: '1' })));
    expect((await engines[0]?.list())?.runs).toHaveLength(5);
    expect(rawDatabase(file).prepare('PRAGMA user_version').all()[0]?.['user_version']).toBe(10);
  });

  it('gives the index to queries that name the landmarks of a run', async () => {
    const file = temporaryFile();
    openEngine(file);
    const [step] = rawDatabase(file)
      .prepare(
        `EXPLAIN QUERY PLAN SELECT seq FROM journal WHERE run = 1 AND seq < 9 AND ${landmarkCondition} ORDER BY seq`,
      )
      .all();
    expect(step?.['detail']).toBe('SEARCH journal USING INDEX journal_landmarks (run=? AND seq<?)');
  });

  it('gives the index to lists of the runs that wait for a person', () => {
    const file = temporaryFile();
    openEngine(file);
    const order = 'ORDER BY started_at DESC, run_id DESC LIMIT 9';
    const query = `SELECT name FROM runs WHERE ${pausedCondition} AND (started_at, run_id) < (1, 'r') ${order}`;
    const steps = rawDatabase(file).prepare(`EXPLAIN QUERY PLAN ${query}`).all();
    expect(steps.map(({ detail }) => detail)).toEqual([
      'SEARCH runs USING INDEX runs_paused ((started_at,run_id)<(?,?))',
    ]);
  });
});
