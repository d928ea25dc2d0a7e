import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { segmentEnded, startAndClaim, stepEnded, temporaryFile } from './engine.fixture.js';
import type { sqliteEngine } from './sqlite-engine.js';

/** Threads start from JavaScript files only, so the engine is compiled to a folder from which libsql can be found. */
async function compiled(): Promise<typeof sqliteEngine> {
  const cache = fileURLToPath(new URL('../../../../../.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(`${cache}sqlite-thread-`);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const entryPoints = ['sqlite-engine', 'store-thread'].map((name) =>
    fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
  );
  await build({
    entryPoints,
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    outExtension: { '.js': '.js' },
    logLevel: 'silent',
  });
  expect(existsSync(`${folder}/store-thread.js`)).toBe(true);
  const module = (await import(pathToFileURL(`${folder}/sqlite-engine.js`).href)) as {
    readonly sqliteEngine: typeof sqliteEngine;
  };
  return module.sqliteEngine;
}

describe('a store in a thread', () => {
  it('does the same as one in the event loop', { timeout: 30_000 }, async () => {
    const open = await compiled();
    const file = temporaryFile();
    const engine = open(file, { thread: true });
    const session = await startAndClaim(engine, 'run');
    session.append(stepEnded(1));
    const first = session.flush();
    await new Promise((resolve) => setImmediate(resolve));
    // The first is under way by now, so this one goes with the next batch.
    session.append(stepEnded(2));
    await Promise.all([first, session.flush()]);
    const { headHash } = await session.conclude(segmentEnded(session), []);
    expect(await engine.verify('run', headHash)).toEqual({ status: 'proved', entries: 4, seq: 4 });
    await expect(session.flush()).rejects.toThrow('belongs to another worker');
    await expect(engine.backup(file)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await engine.close();
    await expect(engine.summary('run')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    expect(() => open('/nowhere/at/all.db', { thread: true })).toThrow('does not exist');
  });
});
