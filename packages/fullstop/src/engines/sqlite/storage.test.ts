import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { terminations } from '../../termination/terminations.js';
import type { RunSummary } from '../port/engine.js';
import type { JournalEntry } from '../port/journal-entry.js';
import type { PayloadCodec } from '../store/payload.js';
import {
  claimed,
  handClock,
  openEngine,
  pausedOn,
  rawDatabase,
  requestOpened,
  segmentEnded,
  startAndClaim,
  stepEnded,
  temporaryFile,
  temporaryFolder,
} from './engine.fixture.js';
import type { SqliteEngine } from './options.js';
import { sqliteEngine } from './sqlite-engine.js';

const large = 'long text '.repeat(20_000);

function count(file: string, table: string): number {
  return rawDatabase(file).prepare(`SELECT count(*) AS count FROM ${table}`).all()[0]?.['count'] as number;
}

async function endedRun(engine: SqliteEngine, runId: string, value = 'small', at = 1_800_000_000_000): Promise<void> {
  const session = await startAndClaim(engine, runId);
  session.append(stepEnded(1, value));
  await session.conclude(segmentEnded(session, terminations.naturalEnd(), at), []);
}

describe('large values', () => {
  it('are kept once, beside the journal, and read as if they stood in it', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const sessions = [await startAndClaim(engine, 'one'), await startAndClaim(engine, 'two')];
    for (const session of sessions) {
      session.append(stepEnded(1, large));
      await session.flush();
    }
    expect(count(file, 'blobs')).toBe(1);
    expect(
      rawDatabase(file).prepare('SELECT max(length(data)) AS longest FROM journal').all()[0]?.['longest'],
    ).toBeLessThan(100);
    const [, entry] = await engine.journal('two');
    expect(entry).toMatchObject({ data: { value: large } });
    expect(await engine.verify('one')).toEqual({ status: 'consistent', entries: 2 });
    await engine.close();
    const reopened = openEngine(file);
    expect((await claimed(reopened, 'one')).history[1]).toMatchObject({ data: { value: large } });
  });

  it('are covered by the chain', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await endedRun(engine, 'run', large);
    rawDatabase(file).exec("UPDATE blobs SET data = replace(data, 'long', 'lang')");
    expect(await engine.verify('run')).toMatchObject({
      status: 'broken',
      seq: 2,
      reason: expect.stringContaining('value of entry 2'),
    });
  });
});

/** Encrypts, with a new vector each time. */
function cipher(key: Buffer): PayloadCodec {
  return {
    encode: (text) => {
      const vector = randomBytes(12);
      const encrypt = createCipheriv('aes-256-gcm', key, vector);
      const sealed = Buffer.concat([encrypt.update(text, 'utf8'), encrypt.final()]);
      return Buffer.concat([vector, encrypt.getAuthTag(), sealed]).toString('base64');
    },
    decode: (text) => {
      const bytes = Buffer.from(text, 'base64');
      const decrypt = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decrypt.update(bytes.subarray(28)), decrypt.final()]).toString('utf8');
    },
  };
}

describe('a codec', () => {
  it('keeps what runs say out of the file, and the chain covers what is stored', async () => {
    const file = temporaryFile();
    const codec = cipher(randomBytes(32));
    const engine = openEngine(file, { codec });
    const session = await startAndClaim(engine, 'run');
    session.append(requestOpened({ id: 'ok', type: 'approval', summary: 'Top secret question' }));
    session.append(stepEnded(1, 'Top secret result'));
    session.append(stepEnded(2, `Top secret ${large}`));
    const notice = {
      id: 'n',
      runId: 'run',
      segment: 1,
      target: 't',
      payload: 'Top secret payload',
      attempts: 0,
      dueAt: 0,
    };
    await session.conclude(segmentEnded(session, pausedOn('ok')), [notice]);
    await engine.answer('run', 'ok', { decision: 'value', value: 'Top secret answer' });
    expect(await engine.openRequests('run')).toMatchObject([{ summary: 'Top secret question' }]);
    expect(await engine.dueNotices()).toMatchObject([{ payload: 'Top secret payload' }]);
    const next = await claimed(engine, 'run');
    expect(next.input).toEqual({ runId: 'run' });
    const heard: unknown[] = [];
    next.listen((message) => heard.push(message));
    expect(heard).toMatchObject([{ answer: { value: 'Top secret answer' } }]);
    expect(await engine.verify('run')).toMatchObject({ status: 'consistent' });
    await engine.close();
    expect(readFileSync(file, 'latin1')).not.toContain('secret');
    expect((await openEngine(file, { codec }).journal('run'))[2]).toMatchObject({
      data: { value: 'Top secret result' },
    });
  });

  it('is not possible in a thread', () => {
    expect(() => sqliteEngine(temporaryFile(), { thread: true, codec: cipher(randomBytes(32)) })).toThrow(
      'functions do not cross',
    );
  });
});

describe('the options of the engine', () => {
  it.each([
    ['leaseMs', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 3e9, '5']],
    ['pollMs', [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 3e9, '5']],
    ['busyTimeoutMs', [-1, Number.NaN, Number.POSITIVE_INFINITY, '5']],
  ])('%s is refused when it is any of %j', (option, values) => {
    for (const value of values)
      expect(() => sqliteEngine('runs.db', { [option]: value })).toThrow(`sqliteEngine: ${option} is`);
  });

  it('name a file: what is only in memory would be lost', () => {
    for (const file of ['', ':memory:', undefined as never])
      expect(() => sqliteEngine(file)).toThrow('it must be the path of a file. Without one, use memoryEngine().');
  });

  it('keep a prune from removing what was not meant', async () => {
    const engine = openEngine(temporaryFile());
    for (const endedBefore of [Number.NaN, Number.POSITIVE_INFINITY, '2026' as never])
      await expect(engine.prune({ endedBefore })).rejects.toThrow('prune: endedBefore is');
    for (const keep of [-1, Number.NaN, 0.5])
      await expect(engine.prune({ endedBefore: 1, keep })).rejects.toThrow('keep');
  });
});

describe('an import', () => {
  it('takes over everything, hashes included, and continues from there', async () => {
    const source = openEngine();
    const session = await startAndClaim(source, 'run');
    session.append(requestOpened({ id: 'ok', type: 'approval' }));
    session.append(stepEnded(1, large));
    const { headHash } = await session.conclude(segmentEnded(session, pausedOn('ok')), []);
    const entries = JSON.parse(JSON.stringify(await source.journal('run'))) as readonly JournalEntry[];

    const target = openEngine();
    expect(await target.importRun(entries)).toBe('imported');
    expect(await target.importRun(entries)).toBe('exists');
    expect(await target.journal('run')).toEqual(await source.journal('run'));
    expect(await target.verify('run', headHash)).toEqual({ status: 'proved', entries: 4, seq: 4 });
    expect(await target.ending('run')).toEqual(await source.ending('run'));
    const { worker, ...known } = (await source.summary('run')) as RunSummary;
    expect(worker).toBe('worker');
    // Who had it elsewhere is not in the journal.
    expect(await target.summary('run')).toEqual(known);
    expect(await target.answer('run', 'ok', { decision: 'approve', by: 'maria' })).toMatchObject({
      status: 'delivered',
    });
    const next = await claimed(target, 'run');
    next.append({
      type: 'request_answered',
      scope: '',
      ordinal: 0,
      at: 1_800_000_000_001,
      data: { answer: { decision: 'approve', requestId: 'ok', at: 1, by: 'maria' } },
    });
    await next.conclude(segmentEnded(next), []);
    expect(await target.verify('run', headHash)).toEqual({ status: 'proved', entries: 7, seq: 4 });

    const third = openEngine();
    await third.importRun(await target.journal('run'));
    expect(await third.summary('run')).toMatchObject({ state: 'ended', segment: 2, kind: 'natural_end' });
    expect(await third.answer('run', 'ok', { decision: 'deny' })).toEqual({ status: 'already', at: 1, by: 'maria' });
  });

  it('chains a journal without hashes, and one for an engine with a codec, anew', async () => {
    const source = openEngine();
    await endedRun(source, 'run');
    const entries = await source.journal('run');
    const plain = entries.map(({ hash: _hash, ...entry }) => entry as JournalEntry);
    for (const [given, options] of [
      [plain, {}],
      [entries, { codec: cipher(randomBytes(32)) }],
    ] as const) {
      const target = openEngine(undefined, options);
      await target.importRun(given);
      expect(await target.verify('run')).toEqual({ status: 'consistent', entries: 3 });
    }
  });

  it('refuses a journal that was changed', async () => {
    const source = openEngine();
    await endedRun(source, 'run');
    const entries = (await source.journal('run')).map((entry) =>
      entry.seq === 2 ? ({ ...entry, at: entry.at + 1 } as JournalEntry) : entry,
    );
    await expect(openEngine().importRun(entries)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining('entry 2'),
    });
    await expect(openEngine().importRun([])).rejects.toThrow('run_started');
  });
});

describe('a backup', () => {
  it('is a whole store of its own, made while runs continue', async () => {
    const engine = openEngine();
    const session = await startAndClaim(engine, 'run');
    session.append(stepEnded(1));
    await session.flush();
    const copy = join(temporaryFolder(), "it's a copy.db");
    await engine.backup(copy);
    session.append(stepEnded(2));
    await session.flush();
    const restored = openEngine(copy);
    expect(await restored.journal('run')).toHaveLength(2);
    expect(await restored.verify('run')).toMatchObject({ status: 'consistent' });
    await expect(engine.backup(copy)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('there is a file already'),
    });
  });
});

describe('removal', () => {
  it('prunes old closed runs, and open ones only when it is told to', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    for (const [index, runId] of ['a', 'b', 'c', 'd'].entries()) await endedRun(engine, runId, large, 1000 + index);
    const open = await startAndClaim(engine, 'open');
    await open.conclude(segmentEnded(open, terminations.cancelled({ by: 'caller' }), 500), []);
    const paused = await startAndClaim(engine, 'paused');
    await paused.conclude(segmentEnded(paused, pausedOn('ok'), 500), []);
    const noticed = await startAndClaim(engine, 'noticed');
    const notice = { id: 'n', runId: 'noticed', segment: 1, target: 't', payload: '{}', attempts: 0, dueAt: 0 };
    await noticed.conclude(segmentEnded(noticed, terminations.naturalEnd(), 500), [notice]);
    const left = async (): Promise<string> =>
      (await engine.list()).runs
        .map(({ runId }) => runId)
        .sort()
        .join();

    expect(await engine.prune({ endedBefore: 1002 })).toBe(2);
    expect(await left()).toBe('c,d,noticed,open,paused');
    expect(await engine.prune({ endedBefore: 9000, keep: 1 })).toBe(1);
    expect(await left()).toBe('d,noticed,open,paused');
    expect(await engine.prune({ endedBefore: 9000, includeOpen: true })).toBe(2);
    await engine.settleNotice('n');
    expect(await engine.prune({ endedBefore: 9000, includeOpen: true })).toBe(1);
    expect(await left()).toBe('paused');
    expect(count(file, 'blobs')).toBe(0);
  });

  it('erases a run from the file, but not while it runs', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await endedRun(engine, 'kept', large);
    const session = await startAndClaim(engine, 'run');
    session.append(stepEnded(1, 'Pandora'));
    session.append(stepEnded(2, large));
    await session.flush();
    expect(await engine.erase('run')).toBe('running');
    await session.conclude(segmentEnded(session, pausedOn('ok')), []);
    expect(await engine.erase('run')).toBe('erased');
    expect(await engine.erase('run')).toBe('unknown');
    expect(await engine.summary('run')).toBeUndefined();
    expect((await engine.journal('kept'))[1]).toMatchObject({ data: { value: large } });
    for (const path of [file, `${file}-wal`])
      expect(existsSync(path) && readFileSync(path, 'latin1').includes('Pandora')).toBe(false);
    await engine.start({ runId: 'run', name: 'test', version: '1' });
  });

  it('leaves a tombstone of an erased run, which says who removed how much and when', async () => {
    const clock = handClock();
    const engine = openEngine(undefined, { clock });
    await endedRun(engine, 'run', 'Pandora');
    const journal = await engine.journal('run');
    clock.advance(5);
    await engine.erase('run', { by: 'maria' });
    const tombstone = {
      status: 'erased',
      at: clock.now(),
      entries: journal.length,
      head: journal.at(-1)?.hash,
      by: 'maria',
    };
    expect(await engine.verify('run')).toEqual(tombstone);
    expect(await engine.verify('never')).toEqual({ status: 'unknown' });
    await engine.start({ runId: 'run', name: 'test', version: '1' });
    expect(await engine.verify('run')).toMatchObject({ status: 'consistent' });
  });
});

describe('lists', () => {
  it('are filtered and paged, newest first', async () => {
    const clock = handClock();
    const engine = openEngine(undefined, { clock });
    const start = clock.now();
    for (let index = 0; index < 25; index += 1) {
      clock.advance(1);
      await engine.start({
        runId: `run-${index}`,
        name: index % 2 === 0 ? 'even' : 'odd',
        version: '1',
        ...(index === 3 && { parent: { runId: 'run-0', scope: 'a/b' } }),
      });
    }
    const session = await claimed(engine, 'run-4');
    await session.conclude(segmentEnded(session), []);
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await engine.list({ limit: 10, ...(cursor !== undefined && { cursor }) });
      ids.push(...page.runs.map(({ runId }) => runId));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(ids).toEqual(Array.from({ length: 25 }, (_, index) => `run-${24 - index}`));
    expect((await engine.list({ name: 'odd' })).runs).toHaveLength(12);
    expect((await engine.list({ state: 'ended' })).runs).toMatchObject([
      {
        runId: 'run-4',
        kind: 'natural_end',
        category: 'success',
        outcome: 'succeeded',
        summary: 'It ended as natural_end.',
      },
    ]);
    expect((await engine.list({ kind: 'natural_end', category: 'success' })).runs).toHaveLength(1);
    expect(
      (await engine.list({ startedAfter: start + 2, startedBefore: start + 5 })).runs.map(({ runId }) => runId),
    ).toEqual(['run-3', 'run-2']);
    expect(await engine.summary('run-3')).toEqual({
      runId: 'run-3',
      name: 'odd',
      version: '1',
      parent: { runId: 'run-0', scope: 'a/b' },
      state: 'ready',
      segment: 1,
      startedAt: start + 4,
      updatedAt: start + 4,
    });
    expect(await engine.journal('run-4', { after: 1, limit: 1 })).toMatchObject([{ seq: 2, type: 'segment_ended' }]);
  });

  it('starts a run once, and refuses the same id with another input', async () => {
    const engine = openEngine();
    const request = { runId: 'run', name: 'test', version: '1', input: { b: 1, a: [2] } };
    expect(await engine.start(request)).toBe('started');
    expect(await engine.start({ ...request, input: { a: [2], b: 1 } })).toBe('exists');
    await expect(engine.start({ ...request, input: {} })).rejects.toThrow('another input, name or version');
    await expect(engine.start({ ...request, version: '2' })).rejects.toThrow('another input, name or version');
  });

  it('holds notices until they are settled', async () => {
    const clock = handClock();
    const engine = openEngine(undefined, { clock });
    const session = await startAndClaim(engine, 'run');
    const notice = (id: string, dueAt: number) => ({
      id,
      runId: 'run',
      segment: 1,
      target: 'hook',
      payload: '{}',
      attempts: 0,
      dueAt,
    });
    const notices = [notice('late', clock.now() + 10), notice('now', clock.now())];
    const head = await session.conclude(segmentEnded(session), notices);
    expect((await engine.dueNotices()).map(({ id }) => id)).toEqual(['now']);
    await engine.settleNotice('now', clock.now() + 20);
    clock.advance(20);
    expect(await engine.dueNotices()).toEqual([
      { ...notice('late', clock.now() - 10), ...head },
      { ...notice('now', clock.now()), ...head, attempts: 1 },
    ]);
    await engine.settleNotice('late');
    expect(await engine.dueNotices(1)).toHaveLength(1);
  });
});
