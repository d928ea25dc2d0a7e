import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import type { PostgresStore } from '../../packages/fullstop/src/engines/postgres/postgres-store.js';
import { toRow } from '../../packages/fullstop/src/engines/store/entry-row.js';
import type {
  Claim,
  ClaimedRun,
  EntryRow,
  Operation,
  Outcome,
} from '../../packages/fullstop/src/engines/store/operations.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { type Line, makeLine, storeOn } from './cut-line.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

interface Scene {
  readonly line: Line;
  readonly store: PostgresStore;
  claim(): Promise<Claim>;
  /** The entries of the run after its first, by type and key. */
  written(): Promise<readonly string[]>;
}

const owner = { id: 'owner', host: 'here', space: '', pid: 1, startedAt: '' };

async function open(schema: string): Promise<Scene> {
  const engine = postgresEngine({ url: database.url, schema });
  onTestFinished(() => engine.close());
  await engine.start({ runId: 'run', name: 'work', version: '1' });
  const line = makeLine();
  const store = storeOn(line, { url: database.url, schema, ownerId: owner.id, patienceMs: 300 });
  onTestFinished(() => store.close());
  return {
    line,
    store,
    claim: async () => {
      const claimant = { owner, leaseMs: 60_000, now: Date.now() };
      const outcome = await execute(store, { name: 'claim', input: { runId: 'run', claimant } } as Operation);
      const { run, runId, segment, epoch } = (outcome as { readonly value: ClaimedRun }).value;
      return { run, runId, segment, epoch };
    },
    written: async () => (await engine.journal('run')).slice(1).map(({ type, key = '' }) => `${type} ${key}`.trim()),
  };
}

async function execute(store: PostgresStore, operation: Operation): Promise<Outcome> {
  const [outcome] = await store.execute([operation]);
  return outcome as Outcome;
}

const row = (key: string, ordinal: number): EntryRow =>
  toRow({ type: 'step_ended', scope: '', ordinal, key, at: 1, data: { ok: true, attempts: 1 } });

/** An ending as a run writes it. */
async function endingRow(): Promise<EntryRow> {
  const engine = postgresEngine({ url: database.url, schema: 'others' });
  onTestFinished(() => engine.close());
  await defineRun({ name: 'other', run: async () => terminations.naturalEnd() }).run(undefined, {
    engine,
    runId: 'other',
  });
  const last = (await engine.journal('other')).at(-1);
  if (last?.type !== 'segment_ended') throw new Error('The other run has no ending.');
  const { type, scope, ordinal, at, data } = last;
  return toRow({ type, scope, ordinal, at, data });
}

/** An append that is committed, and that its caller takes back because nobody answers for as long as it waits. */
async function appendUnheard({ line, store }: Scene, claim: Claim, rows: readonly EntryRow[]): Promise<void> {
  line.losing.push('INSERT INTO "');
  const appended = execute(store, { name: 'append', input: { claim, rows } });
  await expect.poll(() => line.losing.length).toBe(0);
  line.isAway = true;
  expect(await appended).toMatchObject({ ok: false, failure: { code: 'STORE_IO' } });
  line.isAway = false;
}

describe.skipIf(isPostgresMissing)('entries whose commit nobody heard of', () => {
  test('are not written again with the ending of their run', async () => {
    const scene = await open('concluded');
    const claim = await scene.claim();
    const rows = [row('first', 0), row('second', 1)];
    await appendUnheard(scene, claim, rows);
    const input = { claim, rows: [...rows, await endingRow()], outbox: [], lastMessage: 0, now: 1 };
    const concluded = await execute(scene.store, { name: 'conclude', input });
    expect(await scene.written()).toEqual(['step_ended first', 'step_ended second', 'segment_ended']);
    const [last] = await ask<{ hash: string }>(
      database.url,
      'SELECT hash FROM concluded.journal ORDER BY seq DESC LIMIT 1',
    );
    expect(concluded).toEqual({ ok: true, value: { headHash: last?.hash } });
  });

  test('are not written again when their run is parked, with others or without', async () => {
    for (const [schema, more] of [
      ['parked', []],
      ['parked_more', [row('second', 1)]],
    ] as const) {
      const scene = await open(schema);
      const claim = await scene.claim();
      await appendUnheard(scene, claim, [row('first', 0)]);
      const input = { claim, rows: [row('first', 0), ...more], wakeAt: null, lastMessage: 0 };
      expect(await execute(scene.store, { name: 'park', input })).toEqual({ ok: true, value: 'parked' });
      expect(await scene.written()).toEqual(['step_ended first', ...more.map(({ key }) => `step_ended ${key}`)]);
      expect(await ask(database.url, `SELECT state FROM ${schema}.runs`)).toEqual([{ state: 'parked' }]);
    }
  });

  test('are not written again where the answer to what is left of them is lost too', async () => {
    const scene = await open('twice');
    const claim = await scene.claim();
    await appendUnheard(scene, claim, [row('first', 0)]);
    scene.line.losing.push('INSERT INTO "', 'COMMIT');
    const input = { claim, rows: [row('first', 0), row('second', 1)] };
    expect(await execute(scene.store, { name: 'append', input })).toEqual({ ok: true, value: 'written' });
    expect(await scene.written()).toEqual(['step_ended first', 'step_ended second']);
  });

  test('are not written again by an owner that has lost the run and claimed it anew, whatever becomes of its first claim', async () => {
    const scene = await open('again');
    const first = await scene.claim();
    await ask(database.url, "UPDATE again.runs SET state = 'ready', owner = NULL, epoch = epoch + 1");
    const second = await scene.claim();
    const late = { claim: first, rows: [row('late', 0)] };
    expect(await execute(scene.store, { name: 'append', input: late })).toEqual({ ok: true, value: 'fenced' });
    scene.line.losing.push('INSERT INTO "');
    const input = { claim: second, rows: [row('first', 0)] };
    expect(await execute(scene.store, { name: 'append', input })).toEqual({ ok: true, value: 'written' });
    expect(await scene.written()).toEqual(['step_ended first']);
  });

  test('are the ending of the run, and not another owner, where it was that', async () => {
    const scene = await open('ended');
    const claim = await scene.claim();
    scene.line.losing.push('COMMIT');
    const input = { claim, rows: [await endingRow()], outbox: [], lastMessage: 0, now: 1 };
    expect(await execute(scene.store, { name: 'conclude', input })).toMatchObject({
      value: { headHash: expect.any(String) },
    });
    expect(await scene.written()).toEqual(['segment_ended']);
  });
});

describe.skipIf(isPostgresMissing)('a claim whose commit nobody heard of', () => {
  test('is taken back and made again, also by an owner that remembers an earlier claim of the run', async () => {
    const scene = await open('claimed');
    const first = await scene.claim();
    await ask(database.url, "UPDATE claimed.runs SET state = 'ready', owner = NULL");
    scene.line.losing.push('COMMIT');
    const again = await scene.claim();
    expect(scene.line.losing).toEqual([]);
    // The claim that was not heard of, its release, and this one.
    expect(again).toEqual({ ...first, epoch: first.epoch + 3 });
    const input = { claim: again, rows: [row('first', 0)] };
    expect(await execute(scene.store, { name: 'append', input })).toEqual({ ok: true, value: 'written' });
  });
});
