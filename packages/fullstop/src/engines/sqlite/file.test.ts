import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineRun } from '../../run/define-run.js';
import { terminations } from '../../termination/terminations.js';
import { openEngine, segmentEnded, startAndClaim, stepEnded, temporaryFile } from './engine.fixture.js';
import { sqliteEngine } from './sqlite-engine.js';

function walSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

describe('closing', () => {
  it('folds the log in, so that a copy of the file has everything', async () => {
    const file = temporaryFile();
    const engine = sqliteEngine(file);
    for (let index = 0; index < 20; index += 1) {
      const session = await startAndClaim(engine, `run-${index}`);
      session.append(stepEnded(1));
      await session.conclude(segmentEnded(session), []);
    }
    expect(walSize(file)).toBeGreaterThan(0);
    await engine.close();
    expect(walSize(file)).toBe(0);
    const copy = `${file}.copy`;
    copyFileSync(file, copy);
    const reader = openEngine(copy);
    expect((await reader.list()).runs).toHaveLength(20);
    expect(await reader.check()).toEqual([]);
  });

  it('leaves the log to others who use the file', async () => {
    const file = temporaryFile();
    const [one, other] = [openEngine(file), openEngine(file)];
    await one.start({ runId: 'a', name: 'test', version: '1' });
    await one.close();
    await other.start({ runId: 'b', name: 'test', version: '1' });
    expect((await other.list()).runs).toHaveLength(2);
    await other.close();
    expect(walSize(file)).toBe(0);
  });
});

/** Writes over the first bytes of a file that others have mapped. */
function writeStart(path: string, bytes: Buffer): void {
  const handle = openSync(path, 'r+');
  writeSync(handle, bytes, 0, bytes.length, 0);
  closeSync(handle);
}

/** Another process does something with the file: one that ends in good order, or one that is killed. */
function elsewhere(
  file: string,
  last: 'await engine.close()' | "process.kill(process.pid, 'SIGKILL')",
  runs: number,
): void {
  const script = `
    import { sqliteEngine } from ${JSON.stringify(new URL('./sqlite-engine.ts', import.meta.url).href)};
    const engine = sqliteEngine(${JSON.stringify(file)});
    for (let index = 0; index < ${runs}; index += 1) await engine.start({ runId: 'run-' + index, name: 'test', version: '1' });
    ${last};
  `;
  spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { encoding: 'utf8' });
}

describe('a log that is damaged', () => {
  const frames = 4096 + 24;
  it.each([
    ['in the middle of a page', 32 + 6 * frames + 24 + 100],
    ['in the salts of a frame', 32 + 6 * frames + 9],
    ['in its header', 17],
    ['in its magic number', 1],
    ['in the first frame', 32 + 24 + 5],
  ])('is noticed once and kept, when commits are lost: %s', async (_where, place) => {
    const file = temporaryFile();
    // Its schema is in the file, its runs are in the log.
    elsewhere(file, 'await engine.close()', 0);
    elsewhere(file, "process.kill(process.pid, 'SIGKILL')", 10);
    const log = readFileSync(`${file}-wal`);
    expect(log.length).toBeGreaterThan(32 + 10 * frames);
    log[place] = (log[place] as number) ^ 4;
    writeFileSync(`${file}-wal`, log);
    const files = [file, `${file}-wal`].map((path) => readFileSync(path));
    // Whoever only reads says so every time, and leaves everything to someone who may write.
    for (let look = 0; look < 2; look += 1)
      expect(() => sqliteEngine(file, { readOnly: true })).toThrow(
        expect.objectContaining({
          code: 'STORE_CORRUPT',
          message: expect.stringMatching(/-wal is damaged, and \d+ of its last commits cannot be read/),
        }),
      );
    expect([file, `${file}-wal`].map((path) => readFileSync(path))).toEqual(files);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('damaged'))).toEqual([]);
    expect(() => sqliteEngine(file)).toThrow(/-wal was damaged, and \d+ of its last commits cannot be read/);
    const kept = readdirSync(dirname(file)).filter((name) => name.includes('-wal.damaged-'));
    expect(kept).toHaveLength(1);
    expect(readFileSync(`${dirname(file)}/${kept[0]}`).equals(log)).toBe(true);
    const { runs } = await openEngine(file).list();
    expect(runs.length).toBeLessThan(10);
  });

  it('is none after a kill, even one in the middle of a transaction', async () => {
    const file = temporaryFile();
    elsewhere(file, "process.kill(process.pid, 'SIGKILL')", 10);
    const log = readFileSync(`${file}-wal`);
    // The frames of a transaction that never got to its commit.
    const half = Buffer.from(log.subarray(log.length - frames));
    half.writeUInt32BE(0, 4);
    writeFileSync(`${file}-wal`, Buffer.concat([log, half]));
    expect((await openEngine(file, { readOnly: true }).list()).runs).toHaveLength(10);
    expect((await openEngine(file).list()).runs).toHaveLength(10);
  });

  it('is none for a reader while someone writes, whose frames it sees before the index names them', async () => {
    const file = temporaryFile();
    const writer = openEngine(file);
    for (let index = 0; index < 3; index += 1)
      await writer.start({ runId: `run-${index}`, name: 'test', version: '1' });
    const before = readFileSync(`${file}-shm`).subarray(0, 96);
    await writer.start({ runId: 'late', name: 'test', version: '1' });
    const after = readFileSync(`${file}-shm`).subarray(0, 96);
    // The moment between the two writes of a commit: the log has it, both copies of the index's header do not.
    writeStart(`${file}-shm`, before);
    const reader = openEngine(file, { readOnly: true });
    expect((await reader.list()).runs).toHaveLength(3);
    writeStart(`${file}-shm`, after);
    expect((await reader.list()).runs).toHaveLength(4);
  });
});

/** How many locks this process has on a file, as the system lists them. */
function locksOn(path: string): number {
  const { ino } = statSync(path);
  const own = new RegExp(` ${process.pid} \\S+:${ino} `);
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => own.test(line)).length;
}

describe.runIf(existsSync('/proc/locks'))('the index beside a log', () => {
  it('stays locked by whoever has the store open, so that nobody begins it anew', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await engine.start({ runId: 'a', name: 'test', version: '1' });
    const copy = `${file}.copy`;
    for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
    // This one finds a log that is not empty, and looks for damage in it.
    const other = openEngine(copy);
    expect((await other.list()).runs).toHaveLength(1);
    expect(locksOn(`${copy}-shm`)).toBeGreaterThan(0);
    // Closing any handle of the index takes the locks away, which is why it is never opened.
    closeSync(openSync(`${copy}-shm`, 'r'));
    expect(locksOn(`${copy}-shm`)).toBe(0);
  });
});

describe('a file that is taken away under a process', () => {
  const waiting = defineRun({
    name: 'waiting',
    run: async (context, _input: undefined) => {
      await context.step('one', () => taken.act());
      await context.step('two', () => 2);
      return terminations.naturalEnd();
    },
  });
  const taken = { act: (): number => 1 };

  it.each([
    ['deleted', (file: string) => rmSync(file)],
    ['moved', (file: string) => renameSync(file, `${file}.moved`)],
    [
      'replaced',
      (file: string) => {
        copyFileSync(file, `${file}.other`);
        renameSync(`${file}.other`, file);
      },
    ],
  ])('is noticed: %s, and the ending says that it was not kept', async (_how, act) => {
    const file = temporaryFile();
    const engine = openEngine(file);
    taken.act = () => {
      act(file);
      return 1;
    };
    const ending = await waiting.run(undefined, { engine, runId: 'run' });
    expect(ending.persisted).toBe(false);
    await expect(engine.start({ runId: 'next', name: 'test', version: '1' })).rejects.toMatchObject({
      code: 'STORE_GONE',
      message: expect.stringContaining('what is written now would be lost'),
    });
    expect(existsSync(file)).toBe(_how === 'replaced');
  });

  it('tells whoever waits for a run', async () => {
    const file = temporaryFile();
    const engine = openEngine(file);
    await engine.start({ runId: 'run', name: 'test', version: '1' });
    const waited = engine.waitForEnding('run', 1);
    rmSync(file);
    await expect(waited).rejects.toMatchObject({ code: 'STORE_GONE' });
  });
});
