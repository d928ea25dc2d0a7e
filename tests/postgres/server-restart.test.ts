import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { type Cluster, startCluster } from './cluster.js';
import { isPostgresMissing } from './test-database.js';

let cluster: Cluster;

// A server of its own: it is killed.
beforeAll(async () => {
  if (!isPostgresMissing) cluster = await startCluster();
});

afterAll(() => cluster?.stop());

const count = 20;
const steps = 12;

describe.skipIf(isPostgresMissing || process.env['PG_URL'] !== undefined)('a server that is killed under load', () => {
  test('loses nothing: every run ends, and no journalled step is done again', async () => {
    const engine = postgresEngine({ url: cluster.url, leaseMs: 60_000, pollMs: 200 });
    const done = new Map<string, number>();
    let effects = 0;
    let waiting: { readonly at: number; readonly reached: () => void } | undefined;
    const until = (at: number): Promise<void> =>
      new Promise((reached) => {
        waiting = { at, reached };
      });
    const work = defineRun({
      name: 'work',
      run: async (context) => {
        for (let step = 0; step < steps; step += 1)
          await context.step(`s${step}`, () => {
            const key = `${context.runId} ${step}`;
            done.set(key, (done.get(key) ?? 0) + 1);
            effects += 1;
            if (waiting !== undefined && effects >= waiting.at) waiting.reached();
            return step;
          });
        return terminations.naturalEnd();
      },
    });
    const worker = engine.worker([work], { concurrency: 5 });
    const ids = Array.from({ length: count }, (_, index) => `run-${index}`);
    await Promise.all(ids.map((runId) => engine.start({ runId, name: 'work', version: '1' })));
    for (const share of [0.25, 0.5, 0.75]) {
      await until(Math.floor(count * steps * share));
      await cluster.kill?.();
      await cluster.restart?.();
    }
    const endings = await Promise.all(ids.map((runId) => engine.waitForEnding(runId, 1)));
    for (const { runId, headHash, termination } of endings) {
      expect(termination).toEqual({ kind: 'natural_end' });
      expect(await engine.verify(runId, headHash)).toMatchObject({ status: 'proved' });
      const ended = await engine.journal(runId, { types: ['step_ended'] });
      expect(ended.map(({ key }) => key)).toEqual(Array.from({ length: steps }, (_, step) => `s${step}`));
    }
    const again = [...done.values()].filter((times) => times > 1).length;
    console.log(`3 kills of the server, ${count} runs of ${steps} steps, ${effects} effects, ${again} done again`);
    expect(again).toBe(0);
    await worker.stop();
    await engine.close();
  });

  test('is waited for by those who read, as by those who write', async () => {
    const engine = postgresEngine({ url: cluster.url, schema: 'reading', leaseMs: 60_000 });
    await engine.start({ runId: 'run', name: 'work', version: '1' });
    await cluster.kill?.();
    const reading = Promise.all([engine.summary('run'), engine.journal('run'), engine.list()]);
    reading.catch(() => undefined);
    await cluster.restart?.();
    const [summary, journal, { runs }] = await reading;
    expect([summary?.state, journal.length, runs.length]).toEqual(['ready', 1, 1]);
    await engine.close();
  });
});
