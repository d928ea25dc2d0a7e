import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { sqliteEngine } from './sqlite-engine.js';

export interface CompiledEngine {
  readonly open: typeof sqliteEngine;
  remove(): void;
}

/** Threads start from JavaScript files only, so the engine is compiled to a folder from which libsql can be found. */
export async function compiledEngine(): Promise<CompiledEngine> {
  const cache = fileURLToPath(new URL('../../../../../.cache/', import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(`${cache}sqlite-thread-`);
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
  const { sqliteEngine: open } = (await import(pathToFileURL(`${folder}/sqlite-engine.js`).href)) as {
    readonly sqliteEngine: typeof sqliteEngine;
  };
  return { open, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
