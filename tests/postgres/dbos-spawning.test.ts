import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { type Child, dispatchesOf, openDbos, startProgram } from './dbos-engine.js';
import { fanOut } from './spawning.js';
import { isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

interface Scene {
  readonly engine: DbosEngine;
  readonly folder: string;
  /** The files in its folder: which item has begun at which worker. */
  begun(): readonly string[];
  /** Lets all items come to their end. */
  go(): void;
  worker(name: string): Child;
  start(runId: string, items: readonly string[]): Promise<void>;
}

function scene(schema: string): Scene {
  const { url } = database;
  const engine = openDbos({ url, schema, leaseMs: 1_000_000 });
  const folder = mkdtempSync(join(tmpdir(), 'fullstop-spawning-'));
  return {
    engine,
    folder,
    begun: () => readdirSync(folder).sort(),
    go: () => writeFileSync(join(folder, 'go'), ''),
    worker: (name) => startProgram('./spawning-worker.ts', [url, schema, name]),
    start: async (runId, items) => {
      const started = new Error('Started: the rest is left to workers.');
      const start: DbosEngine['start'] = async (request) => {
        await engine.start(request);
        throw started;
      };
      const running = fanOut('nobody').run({ folder, items }, { engine: { ...engine, start }, runId });
      await expect(running).rejects.toBe(started);
    },
  };
}

describe.skipIf(isPostgresMissing)('a group whose members are runs of their own', () => {
  test('is executed by two workers with one place each, and whoever waits for its members holds none', async () => {
    const { engine, begun, go, worker, start } = scene('two_workers');
    worker('first');
    worker('second');
    await start('root', ['a', 'b']);
    // Both items are under way at the same time, so each worker has one, and nobody has a place for the run itself.
    await expect.poll(() => begun().map((name) => name.split('.')[1])).toEqual(['a', 'b']);
    expect(begun().map((name) => name.split('.')[2]).sort()).toEqual(['first', 'second']);
    go();
    const ending = await engine.waitForEnding('root', 1);
    expect(ending.termination).toMatchObject({ kind: 'flow_completed' });
    const { workers } = ending.output as { readonly workers: readonly { readonly by: string }[] };
    expect(workers.map(({ by }) => by.trim()).sort()).toEqual(['first', 'second']);
    const { runs } = await engine.list({ parentRunId: 'root' });
    expect(runs.map(({ parent, outcome }) => [parent?.scope, outcome]).sort()).toEqual([
      ['all[0]', 'succeeded'],
      ['all[1]', 'succeeded'],
    ]);
    const dispatches = await dispatchesOf(database.url, 'two_workers');
    expect(dispatches.map(({ queue_name: queue }) => queue).sort()).toEqual([
      'fullstop',
      'fullstop',
      'fullstop.spawned',
      'fullstop.spawned',
    ]);
  });
});
