import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file of its own that is gone with the process. */
export function temporaryFile(name) {
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** The server that the suite has started; a contender that needs one is shown as failed without it. */
export function serverUrl() {
  const url = process.env.BENCH_POSTGRES;
  if (url === undefined) throw new Error('no Postgres was started');
  return url;
}

/** The engine of a variant of fullstop; undefined for memory. */
export async function openStore(load, variant) {
  if (variant === 'sqlite') return (await load('fullstop/engines/sqlite')).sqliteEngine(temporaryFile('runs.db'));
  if (variant === 'dbos') return (await load('fullstop/engines/dbos')).dbosEngine({ url: serverUrl() });
  return undefined;
}
