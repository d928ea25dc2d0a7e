import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEngine, rawDatabase, startAndClaim, stepEnded, temporaryFile, temporaryFolder } from './engine.fixture.js';
import { sqliteEngine } from './sqlite-engine.js';

interface Read {
  readonly found?: readonly object[];
  readonly refused?: string;
  readonly error?: string;
}

/** Reads a store as a user who may not write to it, even if the tests run as root. */
function readAsNobody(file: string): Read {
  const script = fileURLToPath(new URL('./read-as-nobody.fixture.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, file], { encoding: 'utf8' });
  return JSON.parse(stdout === '' ? JSON.stringify({ error: stderr }) : stdout) as Read;
}

/** Takes the right to write away from a file, what lies beside it, and their folder. */
function lock(file: string): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
  chmodSync(folder, 0o555);
  onTestFinished(() => chmodSync(folder, 0o755));
}

async function storeWithRun(file: string): Promise<ReturnType<typeof openEngine>> {
  const engine = openEngine(file);
  const session = await startAndClaim(engine, 'run');
  session.append(stepEnded(0));
  await session.flush();
  return engine;
}

/** A store that nobody has open, with everything in its main file and nothing beside it. */
async function copyOfMainFile(name: string): Promise<string> {
  const file = temporaryFile();
  await (await storeWithRun(file)).close();
  rawDatabase(file).exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const copy = join(temporaryFolder(), name);
  cpSync(file, copy);
  return copy;
}

describe('a store that may only be read', () => {
  it('is read although neither the file nor its folder may be written', async () => {
    const file = await copyOfMainFile('runs.db');
    lock(file);
    const { found, refused } = readAsNobody(file);
    expect(found).toEqual([{ runId: 'run', entries: 2, status: 'consistent' }]);
    expect(refused).toMatch(/^STORE_READ_ONLY /);
    expect(readdirSync(dirname(file))).toEqual(['runs.db']);
  });

  it('is read while its owner writes to it, with what is not in the main file yet', async () => {
    const file = temporaryFile();
    const engine = await storeWithRun(file);
    expect(existsSync(`${file}-wal`)).toBe(true);
    lock(file);
    expect(readAsNobody(file).found).toEqual([{ runId: 'run', entries: 2, status: 'consistent' }]);
    await engine.close();
  });

  it('is refused where entries lie beside it that cannot be read without writing', async () => {
    const file = temporaryFile();
    await storeWithRun(file);
    const copy = join(temporaryFolder(), 'runs.db');
    cpSync(file, copy);
    cpSync(`${file}-wal`, `${copy}-wal`);
    lock(copy);
    expect(readAsNobody(copy).error).toMatch(
      /^STORE_READ_ONLY .*runs\.db-wal.* Copy both files to a folder that this user may write to/,
    );
  });

  it('has a name that an address would read otherwise', async () => {
    const file = await copyOfMainFile('a b%20?c#d.db');
    lock(file);
    expect(readAsNobody(file).found).toHaveLength(1);
  });
});

describe('readOnly', () => {
  it('changes nothing, also where that were allowed', async () => {
    const file = temporaryFile();
    await (await storeWithRun(file)).close();
    const before = readFileSync(file);
    const reader = openEngine(file, { readOnly: true });
    expect(await reader.list({})).toMatchObject({ runs: [{ runId: 'run' }] });
    await expect(reader.start({ runId: 'more', name: 'test', version: '1' })).rejects.toMatchObject({
      code: 'STORE_READ_ONLY',
      message: expect.stringContaining('readOnly'),
    });
    await reader.close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it('sees what others write', async () => {
    const file = temporaryFile();
    const writer = await storeWithRun(file);
    const reader = openEngine(file, { readOnly: true });
    expect((await reader.list({})).runs).toHaveLength(1);
    await writer.start({ runId: 'later', name: 'test', version: '1' });
    expect((await reader.list({})).runs).toHaveLength(2);
  });

  it('makes no file, and no store of an empty one', () => {
    const file = temporaryFile();
    expect(() => sqliteEngine(file, { readOnly: true })).toThrowError(/does not exist/);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, '');
    expect(() => sqliteEngine(file, { readOnly: true })).toThrowError(/is empty/);
    expect(readFileSync(file)).toHaveLength(0);
  });

  it('leaves a file of an older version as it is, and says who must open it first', async () => {
    const file = temporaryFile();
    await (await storeWithRun(file)).close();
    const raw = rawDatabase(file);
    raw.exec('PRAGMA user_version = 3');
    raw.close();
    expect(() => sqliteEngine(file, { readOnly: true })).toThrowError(
      /older version of fullstop \(schema 3; this one reads schema \d+\).*once where it may be written/,
    );
    const again = rawDatabase(file);
    expect(again.prepare('PRAGMA user_version').all()).toMatchObject([{ user_version: 3 }]);
  });
});
