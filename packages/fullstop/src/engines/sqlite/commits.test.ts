import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FencedError } from '../port/engine.js';
import { Commits } from '../store/commits.js';
import { toStoredRun } from '../store/entry-row.js';
import type { Operation, Store } from '../store/operations.js';
import { StoreCore } from './core/store-core.js';
import { findDriver } from './driver/driver.js';
import {
  claimed,
  openEngine,
  rawDatabase,
  segmentEnded,
  startAndClaim,
  stepEnded,
  temporaryFile,
} from './engine.fixture.js';

describe('group commit', () => {
  it('writes everything that is ready in one turn with one batch', async () => {
    const core = new StoreCore({ driver: findDriver(), file: temporaryFile(), busyTimeoutMs: 1000 });
    const batches: (readonly Operation[])[] = [];
    const store: Store = {
      execute: (batch) => {
        batches.push(batch);
        return core.execute(batch);
      },
      close: () => core.close(),
    };
    const commits = new Commits(store);
    const run = toStoredRun({ runId: '', name: 'n', version: '1' });
    const starts = Array.from({ length: 100 }, (_, index) =>
      commits.ask('start', { run: { ...run, runId: `run-${index}` }, now: 1, data: '{}' }),
    );
    expect(await Promise.all(starts)).toEqual(Array.from({ length: 100 }, () => 'started'));
    expect(batches.map((batch) => batch.length)).toEqual([100]);
    await commits.close();
    await expect(commits.ask('dataVersion', undefined)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  it('carries out very many in several batches, and lets others have their turn while callers continue', async () => {
    const batches: number[] = [];
    const store: Store = {
      execute: (batch) => {
        batches.push(batch.length);
        return batch.map(() => ({ ok: true, value: 1 }));
      },
      close: () => undefined,
    };
    const commits = new Commits(store);
    let turns = 0;
    let over = false;
    const count = (): void => {
      turns += 1;
      if (!over) setImmediate(count);
    };
    const busy = async (): Promise<void> => {
      await commits.ask('dataVersion', undefined);
      const end = performance.now() + 1;
      while (performance.now() < end);
    };
    setImmediate(count);
    await Promise.all(
      Array.from({ length: 600 }, (_, index) => (index < 100 ? busy() : commits.ask('dataVersion', undefined))),
    );
    over = true;
    expect(batches).toEqual([256, 256, 88]);
    // 100 callers that take a millisecond each are not let go on in one turn, nor in three.
    expect(turns).toBeGreaterThan(8);
  });

  it('gives a thread a second full batch before the first is back, of what depends on nothing that is on its way', async () => {
    const sent: { readonly size: number; readonly comeBack: () => void }[] = [];
    const store: Store = {
      inThread: true,
      execute: (batch) =>
        new Promise((resolve) => {
          sent.push({ size: batch.length, comeBack: () => resolve(batch.map(() => ({ ok: true, value: 1 }))) });
        }),
      close: () => undefined,
    };
    const commits = new Commits(store);
    const told: number[] = [];
    const ask = (from: number, count: number, isIndependent: () => boolean): void => {
      for (let index = from; index < from + count; index += 1)
        commits.add({
          make: () => ({ name: 'dataVersion', input: undefined }),
          isIndependent,
          see: () => undefined,
          settle: () => told.push(index),
        });
    };
    const turns = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    let free = true;
    ask(0, 900, () => free);
    await turns();
    expect(sent.map(({ size }) => size)).toEqual([256, 256]);
    free = false;
    sent[0]?.comeBack();
    await turns();
    expect(sent).toHaveLength(2);
    free = true;
    sent[1]?.comeBack();
    await turns();
    // The last is not full, so it waits for what is on its way.
    expect(sent.map(({ size }) => size)).toEqual([256, 256, 256]);
    sent[2]?.comeBack();
    await turns();
    sent[3]?.comeBack();
    await commits.close();
    expect(sent.map(({ size }) => size)).toEqual([256, 256, 256, 132]);
    expect(told).toEqual(Array.from({ length: 900 }, (_, index) => index));
  });

  it('shares the commit of a turn among all sessions of the engine', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const sessions = await Promise.all(Array.from({ length: 50 }, (_, index) => startAndClaim(engine, `run-${index}`)));
    const walBefore = commitsInWal(file);
    for (const [index, session] of sessions.entries()) session.append(stepEnded(index));
    await Promise.all(sessions.map((session) => session.flush()));
    expect(commitsInWal(file) - walBefore).toBe(1);
    expect((await engine.journal('run-49')).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('takes along what is appended until the commit, and has nothing to do afterwards', async () => {
    const engine = openEngine();
    const session = await startAndClaim(engine, 'run');
    expect(session.flush()).toBeUndefined();
    session.append(stepEnded(1));
    const flushed = session.flush();
    session.append(stepEnded(2));
    expect(session.flush()).toBe(flushed);
    await flushed;
    expect(session.flush()).toBeUndefined();
    expect(await engine.journal('run')).toHaveLength(3);
  });

  it('refuses the entries of a run that was taken away and writes the others', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const [lost, kept] = [await startAndClaim(engine, 'lost'), await startAndClaim(engine, 'kept')];
    rawDatabase(file).exec("UPDATE runs SET epoch = epoch + 1, owner = 'other' WHERE run_id = 'lost'");
    const told: string[] = [];
    lost.onFenced(() => told.push('fenced'));
    for (const session of [lost, kept]) session.append(stepEnded(1));
    const [first, second] = await Promise.allSettled([lost.flush(), kept.flush()]);
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(FencedError) });
    expect(second).toMatchObject({ status: 'fulfilled' });
    expect(told).toEqual(['fenced']);
    expect(await engine.journal('lost')).toHaveLength(1);
    expect(await engine.journal('kept')).toHaveLength(2);
    await expect(lost.conclude(segmentEnded(lost), [])).rejects.toThrow(FencedError);
  });

  it('refuses a single entry of a run that was taken away', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const session = await startAndClaim(engine, 'run');
    session.append(stepEnded(1));
    await session.flush();
    rawDatabase(file).exec('UPDATE runs SET epoch = epoch + 1');
    session.append(stepEnded(2));
    await expect(session.flush()).rejects.toThrow(FencedError);
    expect(await engine.journal('run')).toHaveLength(2);
  });

  it('lets only the operation at fault fail', async () => {
    const engine = openEngine();
    const good = engine.start({ runId: 'good', name: 'n', version: '1' });
    const broken = engine.importRun([
      {
        runId: 'bad',
        segment: 1,
        seq: 1,
        scope: '',
        ordinal: -1,
        at: 1,
        type: 'run_started',
        data: { name: 'n', version: '1' },
      },
      {
        runId: 'bad',
        segment: 1,
        seq: 2,
        scope: '',
        ordinal: -1,
        // The door lets it pass, the column of whole numbers does not.
        at: 0.5,
        type: 'emitted',
        data: { event: 1 },
      },
    ]);
    await expect(broken).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await good).toBe('started');
    expect(await engine.summary('bad')).toBeUndefined();
    expect(await claimed(engine, 'good')).toBeDefined();
  });
});

/** Every commit ends with a frame that carries the size of the database; the others carry 0. */
function commitsInWal(file: string): number {
  const wal = readFileSync(`${file}-wal`);
  const frame = wal.readUInt32BE(8) + 24;
  let commits = 0;
  for (let at = 32; at + 24 <= wal.length; at += frame) if (wal.readUInt32BE(at + 4) > 0) commits += 1;
  return commits;
}
