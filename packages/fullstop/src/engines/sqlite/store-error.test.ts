import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FullstopError } from '../../termination/errors/fullstop-error.js';
import { toRow, toStoredRun } from '../store/entry-row.js';
import type { ClaimedRun, InputOf, OperationName, Outcome } from '../store/operations.js';
import { StoreCore } from './core/store-core.js';
import { type Driver, findDriver } from './driver/driver.js';
import { openEngine, rawDatabase, startAndClaim, stepEnded, temporaryFile, temporaryFolder } from './engine.fixture.js';
import { ownMark } from './liveness.js';
import { sqliteEngine } from './sqlite-engine.js';
import { storeFailureOf } from './store-error.js';

function errorOf(act: () => unknown): FullstopError {
  try {
    act();
  } catch (error) {
    if (FullstopError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** Tries to open files as a user who may not write to them, even if the tests run as root. */
function openAsNobody(file: string): string {
  const script = fileURLToPath(new URL('./open-as-nobody.fixture.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, file], { encoding: 'utf8' });
  return stdout + stderr;
}

describe('a file that cannot be used', () => {
  it('is no database', () => {
    const file = temporaryFile();
    writeFileSync(file, 'These are the minutes of the last meeting.\n'.repeat(100));
    const before = readFileSync(file, 'utf8');
    const error = errorOf(() => sqliteEngine(file));
    expect(error.code).toBe('STORE_NOT_A_DATABASE');
    expect(error.message).toContain(`${file} is not a SQLite database`);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  it('is a database of another program', () => {
    const file = temporaryFile();
    const raw = rawDatabase(file);
    raw.exec('CREATE TABLE customers (id INTEGER PRIMARY KEY)');
    raw.close();
    expect(errorOf(() => sqliteEngine(file))).toMatchObject({
      code: 'STORE_NOT_A_DATABASE',
      message: expect.stringContaining('of another program'),
    });
  });

  it('is a folder, or lies in one that does not exist', () => {
    const folder = temporaryFolder();
    expect(errorOf(() => sqliteEngine(folder))).toMatchObject({
      code: 'STORE_NOT_A_DATABASE',
      message: expect.stringContaining('is a folder'),
    });
    const missing = join(folder, 'none', 'runs.db');
    expect(errorOf(() => sqliteEngine(missing))).toMatchObject({
      code: 'STORE_READ_ONLY',
      message: expect.stringContaining('does not exist'),
    });
  });

  it('was written by a newer version', async () => {
    const file = temporaryFile();
    await openEngine(file).close();
    rawDatabase(file).exec('PRAGMA user_version = 99');
    const error = errorOf(() => sqliteEngine(file));
    expect(error.code).toBe('STORE_NEWER');
    expect(error.message).toMatch(
      /newer version of fullstop \(schema 99; this one knows schemas up to \d+\)\. Update fullstop/,
    );
  });

  it('is damaged', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    const session = await startAndClaim(engine, 'run');
    for (let ordinal = 0; ordinal < 100; ordinal += 1) session.append(stepEnded(ordinal, 'x'.repeat(500)));
    await session.flush();
    await engine.close();
    const descriptor = openSync(file, 'r+');
    const pageSize = 4096;
    // The first page with the schema stays, so that the damage is met while the file is used.
    for (let at = pageSize * 4; at < statSync(file).size; at += pageSize)
      writeSync(descriptor, Buffer.alloc(pageSize, 7), 0, pageSize, at);
    let failure: unknown;
    try {
      const damaged = openEngine(file);
      await damaged.start({ runId: 'another', name: 'test', version: '1' });
      await damaged.journal('run');
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: 'STORE_CORRUPT', message: expect.stringContaining('restore a backup') });
  });

  it('may not be written, or lies in a folder that may not', () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const locked = join(folder, 'locked');
    mkdirSync(locked, { mode: 0o555 });
    expect(openAsNobody(join(locked, 'runs.db'))).toMatch(
      /^STORE_READ_ONLY .*the folder .* is read-only for this user/,
    );
    const file = join(folder, 'runs.db');
    const raw = rawDatabase(file);
    raw.exec('PRAGMA user_version = 0');
    raw.exec('CREATE TABLE t (a)');
    raw.exec('DROP TABLE t');
    raw.close();
    chmodSync(file, 0o444);
    chmodSync(folder, 0o555);
    expect(openAsNobody(file)).toMatch(/^STORE_READ_ONLY /);
    chmodSync(folder, 0o755);
  });
});

describe('a file that is held by someone else', () => {
  it('gives up after the configured time, and continues afterwards', async () => {
    const file = temporaryFile();
    const engine = openEngine(file, { busyTimeoutMs: 20 });
    const session = await startAndClaim(engine, 'run');
    const raw = rawDatabase(file);
    raw.exec('BEGIN IMMEDIATE');
    session.append(stepEnded(1));
    await expect(session.flush()).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining('busyTimeoutMs'),
    });
    await expect(engine.start({ runId: 'other', name: 'test', version: '1' })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
    });
    raw.exec('ROLLBACK');
    session.append(stepEnded(2));
    await session.flush();
    expect((await engine.journal('run')).map(({ ordinal }) => ordinal)).toEqual([-1, 1, 2]);
    expect(await engine.verify('run')).toMatchObject({ status: 'consistent' });
  });
});

/** A store on a disk of a few pages. */
function smallStore(file: string, pages: number): StoreCore {
  const { name, open } = findDriver();
  const driver: Driver = {
    name,
    open: (path) => {
      const database = open(path);
      database.exec(`PRAGMA max_page_count = ${pages}`);
      return database;
    },
  };
  return new StoreCore({ driver, file, busyTimeoutMs: 100 });
}

function ask<TName extends OperationName>(core: StoreCore, name: TName, input: InputOf<TName>): Outcome {
  return core.execute([{ name, input } as never])[0] as Outcome;
}

describe('a full disk', () => {
  it('is said, loses nothing that was acknowledged, and is got over', () => {
    const file = temporaryFile();
    const core = smallStore(file, 80);
    const run = toStoredRun({ runId: 'run', name: 'n', version: '1' });
    ask(core, 'start', { run, now: 1, data: '{"name":"n","version":"1"}' });
    const owner = { id: 'me', ...ownMark() };
    const claimant = { owner, worker: 'w', now: 1, monotonic: 1, beat: 1, leaseMs: 1e9 };
    const claimed = ask(core, 'claim', { runId: 'run', claimant });
    const claim = (claimed as { value: ClaimedRun }).value;
    let written = 0;
    let failed: Outcome | undefined;
    while (failed === undefined && written < 1000) {
      const outcome = ask(core, 'append', { claim, rows: [toRow(stepEnded(written, 'x'.repeat(5000)))] });
      if (outcome.ok) written += 1;
      else failed = outcome;
    }
    expect(failed).toMatchObject({ failure: { code: 'STORE_FULL', message: expect.stringContaining('no room left') } });
    // Both in one batch: neither fits.
    const rows = [toRow(stepEnded(0, 'y'.repeat(9000)))];
    const batch = core.execute([
      { name: 'append', input: { claim, rows } },
      { name: 'append', input: { claim, rows } },
    ]);
    expect(batch).toMatchObject([{ failure: { code: 'STORE_FULL' } }, { failure: { code: 'STORE_FULL' } }]);
    core.close();
    const roomy = smallStore(file, 4000);
    expect(ask(roomy, 'verify', { runId: 'run', head: null })).toEqual({
      ok: true,
      value: { status: 'consistent', entries: written + 1 },
    });
    expect(ask(roomy, 'append', { claim, rows })).toMatchObject({ ok: true, value: 'written' });
    roomy.close();
  });
});

describe('a driver', () => {
  it('that is missing is named together with what to do', () => {
    const error = errorOf(() => findDriver(undefined, () => undefined));
    expect(error.code).toBe('STORE_DRIVER_MISSING');
    expect(error.message).toContain('npm install libsql');
    expect(errorOf(() => findDriver('libsql', () => undefined)).message).toContain('asked to use libsql');
    expect(errorOf(() => findDriver('node', () => undefined)).message).toContain('asked to use node:sqlite');
  });

  it('is node:sqlite where libsql is not installed', () => {
    class DatabaseSync {
      static readonly log: unknown[] = [];
      constructor(file: string) {
        DatabaseSync.log.push(`open ${file}`);
      }
      exec(sql: string): void {
        DatabaseSync.log.push(sql);
      }
      prepare(sql: string): unknown {
        return {
          run: (...values: unknown[]) => ({ changes: BigInt(values.length) }),
          get: () => ({ sql }),
          all: () => [{ sql }],
        };
      }
      close(): void {
        DatabaseSync.log.push('close');
      }
    }
    const driver = findDriver(undefined, (name) => (name === 'node:sqlite' ? { DatabaseSync } : undefined));
    expect(driver.name).toBe('node');
    const database = driver.open('file');
    database.exec('BEGIN IMMEDIATE');
    expect(database.inTransaction).toBe(true);
    expect(database.prepare('x').run(1, null)).toBe(2);
    expect(database.prepare('x').get()).toEqual({ sql: 'x' });
    expect(database.prepare('x').all()).toEqual([{ sql: 'x' }]);
    database.exec('COMMIT');
    expect(database.inTransaction).toBe(false);
    database.close();
    expect(DatabaseSync.log).toEqual(['open file', 'BEGIN IMMEDIATE', 'COMMIT', 'close']);
  });
});

describe('what a driver says', () => {
  it.each([
    [{ code: 'SQLITE_IOERR_WRITE' }, 'STORE_IO'],
    [{ rawCode: 778 }, 'STORE_IO'],
    [{ errcode: 13 }, 'STORE_FULL'],
    [{ code: 'SQLITE_READONLY_DBMOVED' }, 'STORE_READ_ONLY'],
    [{ code: 'SQLITE_LOCKED' }, 'STORE_LOCKED'],
    [new Error('something'), 'STORE_FAILED'],
    [null, 'STORE_FAILED'],
  ])('%o is %s', (error, code) => {
    expect(storeFailureOf(error, 'runs.db').code).toBe(code);
  });
});
