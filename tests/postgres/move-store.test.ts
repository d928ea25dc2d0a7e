import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { moveStore, type StoreEngine, sqliteEngine } from '../../packages/fullstop/src/engines/sqlite/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

function openServer(schema: string): StoreEngine {
  const engine = postgresEngine({ url: database.url, schema, connections: 3 });
  onTestFinished(() => engine.close());
  return engine;
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-move-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'runs.db');
}

function openFile(file: string = newFile()): StoreEngine {
  const engine = sqliteEngine(file, { pollMs: 10 });
  onTestFinished(() => engine.close());
  return engine;
}

interface RawFile {
  exec(sql: string): void;
  close(): void;
}

const noticing = defineRun({
  name: 'noticing',
  onEnding: ['hook'],
  run: async () => terminations.naturalEnd(),
});
const large = 'ж'.repeat(100_000);
const work = defineRun({
  name: 'work',
  run: async (context) => {
    await context.step('large', () => large);
    await context.wait({ id: 'go', type: 'input', summary: 'on?' });
    await context.sleep('nap', 1);
    return terminations.naturalEnd();
  },
});

async function claimed(engine: StoreEngine, runId: string) {
  const session = await engine.claim(runId, 'worker');
  if (session === undefined) throw new Error(`${runId} could not be claimed`);
  return session;
}

/** Runs in every state, with everything that is not in a journal. */
async function fill(engine: StoreEngine): Promise<void> {
  await engine.start({ runId: 'ready', name: 'test', version: '1', input: { some: 'thing' } });
  await engine.start({ runId: 'parked', name: 'test', version: '1' });
  await (await claimed(engine, 'parked')).park(1_900_000_000_000);
  await engine.start({ runId: 'answered', name: 'test', version: '1' });
  const session = await claimed(engine, 'answered');
  const request = { id: 'go', type: 'input', path: '', openedAt: 1 } as const;
  session.append({ type: 'request_opened', scope: '', ordinal: 0, key: 'request:go', at: 1, data: { request } });
  await session.flush();
  await engine.answer('answered', 'go', { decision: 'value', value: 1, by: 'ann' });
  await session.park(undefined);
  await noticing.run(undefined, { engine, runId: 'noticed' });
  const paused = await work.run(undefined, { engine, runId: 'paused' });
  expect(paused.termination.kind).toBe('interaction_pending');
  await engine.start({ runId: 'erased', name: 'test', version: '1' });
  await engine.erase('erased', { by: 'bob' });
}

async function contents(engine: StoreEngine): Promise<unknown> {
  const runs: { readonly runId: string; readonly [more: string]: unknown }[] = [];
  for (const { runId } of await engine.runIds()) {
    const copy = await engine.copyRun(runId);
    const { state, segment, kind, startedAt } = (await engine.summary(runId)) ?? {};
    runs.push({ runId, copy, state, segment, kind, startedAt, open: await engine.openRequests(runId) });
  }
  return { runs: runs.sort((a, b) => (a.runId < b.runId ? -1 : 1)), erasures: await engine.erasures() };
}

describe.skipIf(isPostgresMissing)('a store that is moved', () => {
  test('from a file to a server and back has everything that it had', async () => {
    const [file, server, back] = [openFile(), openServer('there'), openFile()];
    await fill(file);
    const before = await contents(file);
    expect(await file.seal('server')).toEqual({ status: 'sealed' });
    expect(await moveStore(file, server, () => undefined)).toEqual({ moved: 5, existing: 0, erasures: 1, left: [] });
    expect(await contents(server)).toEqual(before);
    expect(await server.dueNotices()).toMatchObject([{ runId: 'noticed', target: 'hook' }]);
    expect(await server.seal('back')).toEqual({ status: 'sealed' });
    expect(await moveStore(server, back, () => undefined)).toEqual({ moved: 5, existing: 0, erasures: 1, left: [] });
    expect(await contents(back)).toEqual(before);
    expect((await claimed(back, 'answered')).history).toHaveLength(2);
    const resumed = await work.resume('paused', {
      engine: back,
      answers: { go: { decision: 'value', value: 1, by: 'ann' } },
    });
    expect(resumed.termination.kind).toBe('natural_end');
  });

  test.each(['a file', 'a server'])('refuses every change in the old one, which is %s', async (kind) => {
    const engine = kind === 'a file' ? openFile() : openServer('sealed');
    await fill(engine);
    await engine.seal('postgres://elsewhere/runs');
    const moved = { code: 'STORE_MOVED', message: expect.stringContaining('postgres://elsewhere/runs') };
    await expect(engine.start({ runId: 'new', name: 'test', version: '1' })).rejects.toMatchObject(moved);
    await expect(engine.claim('ready', 'w')).rejects.toMatchObject(moved);
    await expect(engine.cancel('ready', { by: 'operator' })).rejects.toMatchObject(moved);
    await expect(engine.leaseNotices({ until: Date.now(), slots: { hook: 1 } })).rejects.toMatchObject(moved);
    await expect(engine.reopen({ runId: 'paused', after: 1, because: 'resume' })).rejects.toMatchObject(moved);
    expect((await engine.verify('ready')).status).toBe('consistent');
    expect(await engine.movedTo()).toBe('postgres://elsewhere/runs');
    expect(await engine.seal('another')).toEqual({ status: 'moved', to: 'postgres://elsewhere/runs' });
    await engine.unseal();
    expect(await engine.movedTo()).toBeUndefined();
    expect(await engine.claim('ready', 'w')).toBeDefined();
    expect(await engine.seal('another')).toEqual({ status: 'busy', runIds: ['ready'] });
  });

  test('is continued after an interruption, and does not replace another run of the same id', async () => {
    const [file, server] = [openFile(), openServer('again')];
    await fill(file);
    await file.seal('server');
    const [first] = await file.runIds();
    const copy = await file.copyRun(first?.runId ?? '');
    if (copy === undefined) throw new Error('no copy');
    await server.adoptRun(copy);
    await server.start({ runId: 'parked', name: 'other', version: '2' });
    const { left, ...counts } = await moveStore(file, server, () => undefined);
    expect(counts).toEqual({ moved: 3, existing: 1, erasures: 1 });
    expect(left).toEqual([{ runId: 'parked', reason: expect.stringContaining('another run of that id') }]);
    expect((await server.summary('parked'))?.name).toBe('other');
  });

  test('leaves a run behind that is damaged, and says which', async () => {
    const path = newFile();
    const [file, server] = [openFile(path), openServer('broken')];
    await fill(file);
    const raw = new (createRequire(import.meta.url)('libsql') as new (path: string) => RawFile)(path);
    for (const sql of [
      'DROP TRIGGER journal_fixed',
      "UPDATE journal SET data = replace(data, 'some', 'any') WHERE run = 1 AND seq = 1",
    ])
      raw.exec(sql);
    raw.close();
    await file.seal('server');
    const { left, moved } = await moveStore(file, server, () => undefined);
    expect(left).toEqual([{ runId: 'ready', reason: expect.stringContaining('damaged') }]);
    expect(moved).toBe(4);
  });

  test('is not sealed between a claim and its commit', async () => {
    const [owner, mover] = [openServer('raced'), openServer('raced')];
    await owner.start({ runId: 'r', name: 'test', version: '1' });
    const [claim, seal] = await Promise.allSettled([owner.claim('r', 'w'), mover.seal('away')]);
    const isClaimed = claim.status === 'fulfilled' && claim.value !== undefined;
    const isSealed = seal.status === 'fulfilled' && seal.value.status === 'sealed';
    expect(isClaimed).toBe(!isSealed);
    const [row] = await ask<{ state: string }>(database.url, "SELECT state FROM raced.runs WHERE run_id = 'r'");
    expect(row?.state).toBe(isClaimed ? 'running' : 'ready');
  });
});
