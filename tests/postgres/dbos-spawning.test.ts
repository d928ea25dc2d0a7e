import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineConvergence, fact, suggestor } from '../../packages/fullstop/src/convergence/index.js';
import type { AnySuggestor } from '../../packages/fullstop/src/convergence/options/suggestor.js';
import type { DbosEngine } from '../../packages/fullstop/src/engines/dbos/index.js';
import { pipeline } from '../../packages/fullstop/src/pipeline/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import type { SpawnedRun } from '../../packages/fullstop/src/run/run-context.js';
import type { JsonObject } from '../../packages/fullstop/src/termination/json.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { dispatchesOf, gate, openDbos } from './dbos-engine.js';
import { fanOut } from './spawning.js';
import { type Child, startProgram } from './start-program.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

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
    expect(
      begun()
        .map((name) => name.split('.')[2])
        .sort(),
    ).toEqual(['first', 'second']);
    go();
    const ending = await engine.waitForEnding('root', 1);
    expect(ending.termination).toMatchObject({ kind: 'flow_completed' });
    const { workers } = ending.output as { readonly workers: readonly { readonly by: string }[] };
    expect(workers.map(({ by }) => by).sort()).toEqual(['first', 'second']);
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

  test('continues with another worker when the one that executes a member is killed', async () => {
    const { engine, begun, go, worker, start } = scene('killed');
    const doomed = worker('doomed');
    await start('root', ['a']);
    await expect.poll(begun).toEqual(['begun.a.doomed']);
    worker('other');
    doomed.process.kill('SIGKILL');
    await expect.poll(begun).toEqual(['begun.a.doomed', 'begun.a.other']);
    go();
    const ending = await engine.waitForEnding('root', 1);
    expect(ending.output).toMatchObject({ workers: [{ by: 'other' }] });
    // One run for the item, whoever executed it, with one ending.
    const { runs } = await engine.list({ parentRunId: 'root' });
    expect(runs.map(({ segment, outcome }) => [segment, outcome])).toEqual([[1, 'succeeded']]);
    const ended = await engine.journal(runs[0]?.runId ?? '', { types: ['segment_ended'] });
    expect(ended).toHaveLength(1);
    await expect
      .poll(async () => (await dispatchesOf(database.url, 'killed')).map(({ status }) => status))
      .not.toContain('PENDING');
  });

  test('is cancelled with its members, wherever they are executed', async () => {
    const { engine, begun, worker, start } = scene('cancelled');
    worker('only');
    await start('root', ['a']);
    await expect.poll(begun).toEqual(['begun.a.only']);
    await engine.cancel('root', { by: 'operator', reason: 'enough' });
    expect((await engine.waitForEnding('root', 1)).termination).toMatchObject({ kind: 'cancelled', by: 'operator' });
    const { runs } = await engine.list({ parentRunId: 'root' });
    const child = await engine.waitForEnding(runs[0]?.runId ?? '', 1);
    expect(child.termination).toEqual({ kind: 'cancelled', by: 'parent', reason: 'enough' });
  });
});

describe.skipIf(isPostgresMissing)('two runs that spawn others', () => {
  // Queues are those of the database, and a worker that was killed above may still hold a place.
  const alone = testDatabase();

  test('have their turn both, however many the first one has spawned', async () => {
    const order: string[] = [];
    const { passed, open } = gate();
    const item = defineRun<string, ReturnType<typeof terminations.naturalEnd>>({
      name: 'item',
      run: async (context, of) => {
        await context.step('work', async () => {
          await passed;
          order.push(of);
        });
        return terminations.naturalEnd();
      },
    });
    const many = defineRun<{ readonly of: string; readonly items: number }, ReturnType<typeof terminations.naturalEnd>>(
      {
        name: 'many',
        run: async (context, { of, items }) => {
          const runs: SpawnedRun[] = [];
          for (let n = 0; n < items; n += 1) runs.push(await context.spawn(item, of, { spawn: 'queue' }));
          for (const run of runs) await run.ending();
          return terminations.naturalEnd();
        },
      },
    );
    const engine = openDbos({
      url: alone.url,
      schema: 'fair',
      queues: { 'fullstop.spawned': { globalConcurrency: 1 } },
    });
    const base = { name: 'many', version: '1' };
    await engine.start({ ...base, runId: 'large', input: { of: 'large', items: 40 } });
    engine.worker([many, item], { concurrency: 4 });
    const queued = async (parent: string): Promise<number> =>
      (await dispatchesOf(alone.url, 'fair')).filter((row) => row.attributes['parent'] === parent).length;
    // The large one has put all its runs into the queue before the small one comes, and nothing is done before that has come too.
    await expect.poll(() => queued('large')).toBe(40);
    await engine.start({ ...base, runId: 'small', input: { of: 'small', items: 3 } });
    await expect.poll(() => queued('small')).toBe(3);
    open();
    await engine.waitForEnding('small', 1);
    expect(order.filter((of) => of === 'large').length).toBeLessThan(40);
    await engine.cancel('large', { by: 'operator', hard: true });
    const partitions = await ask<{ readonly key: string }>(
      alone.url,
      `SELECT DISTINCT queue_partition_key AS key FROM dbos.workflow_status WHERE queue_name = 'fullstop.spawned' AND attributes->>'store' = 'fair'`,
    );
    expect(partitions.map(({ key }) => key).sort()).toEqual(['large', 'small']);
  });
});

describe.skipIf(isPostgresMissing)('suggestors whose units are runs of their own', () => {
  const alone = testDatabase();

  test('are all under way at once, on a queue, and the facts are those of runs inside', async () => {
    const begun: string[] = [];
    const { passed, open } = gate();
    const study = (name: string): AnySuggestor =>
      suggestor(name, {
        dependsOn: ['question'],
        use: pipeline(name).stage('look', async () => {
          begun.push(name);
          await passed;
          return `${name} has looked`;
        }),
        input: () => undefined,
        propose: ({ output, propose }) => propose(name, { output }),
        spawn: 'queue',
      });
    const inquiry = defineConvergence({ name: 'inquiry', suggestors: [study('left'), study('right')] });
    const engine = openDbos({ url: alone.url, schema: 'suggestors' });
    const input = { facts: [fact('question', 'where?', { id: 'q' })] } as unknown as JsonObject;
    await engine.start({ runId: 'root', name: 'inquiry', version: inquiry.version, input });
    engine.worker([inquiry], { concurrency: 2 });
    await expect.poll(() => [...begun].sort()).toEqual(['left', 'right']);
    open();
    await engine.waitForEnding('root', 1);
    const result = await inquiry.result('root', { engine });
    expect(result?.termination).toMatchObject({ kind: 'converged', facts: 3 });
    expect(result?.facts.latest('right')?.payload).toEqual({ output: 'right has looked' });
    const { runs } = await engine.list({ parentRunId: 'root' });
    expect(runs.map(({ parent, outcome }) => [parent?.scope, outcome]).sort()).toEqual([
      ['left', 'succeeded'],
      ['right', 'succeeded'],
    ]);
    const queues = (await dispatchesOf(alone.url, 'suggestors')).map(({ queue_name: queue }) => queue);
    expect(queues.filter((queue) => queue === 'fullstop.spawned')).toHaveLength(2);
  });
});
