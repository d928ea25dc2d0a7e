import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../packages/fullstop/src/agent/define-agent.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { scriptedModel } from '../../packages/fullstop/src/models/scripted/scripted-model.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import type { StepAttempt } from '../../packages/fullstop/src/run/run-context.js';
import type { AnyTermination } from '../../packages/fullstop/src/termination/kinds.js';
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

/** Kills the server and begins to start it again. Returns what waits for that. */
async function killThenRestart(): Promise<() => Promise<void>> {
  await cluster.kill?.();
  const restarting = cluster.restart?.() ?? Promise.resolve();
  restarting.catch(() => undefined);
  return () => restarting;
}

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

  test('fails no run that shares a budget with those that it spawns', async () => {
    const engine = postgresEngine({ url: cluster.url, schema: 'family', leaseMs: 120_000 });
    const spend = ({ charge }: StepAttempt): void => charge({ inputTokens: 1 });
    const spawned = defineRun({
      name: 'spawned',
      run: async (context) => {
        await context.step('before', spend);
        const restarted = await killThenRestart();
        await context.step('after', spend);
        await restarted();
        return terminations.naturalEnd();
      },
    });
    const family = defineRun({
      name: 'family',
      limits: { tokens: 1000 },
      run: async (context) => {
        await context.step('first', spend);
        const restarted = await killThenRestart();
        const { ending } = await context.spawn(spawned);
        await restarted();
        return (await ending()).termination;
      },
    });
    const { termination, usage } = await family.run(undefined, { engine });
    expect([termination, usage.totalTokens]).toEqual([{ kind: 'natural_end' }, 3]);
    await engine.close();
  });

  test('fails no run that waits for its turn at a provider, and takes no turn for good', async () => {
    const providerLimits = { acme: { concurrency: 1 } };
    const engine = postgresEngine({ url: cluster.url, schema: 'turns', leaseMs: 120_000, providerLimits });
    const model = scriptedModel({ '*': [{ text: 'yes' }] }, { exhausted: 'repeat-last' });
    let isFirst = true;
    let other: Promise<{ readonly termination: AnyTermination }> | undefined;
    let restarted: (() => Promise<void>) | undefined;
    const agent = defineAgent({
      name: 'asking',
      model: {
        ...model,
        provider: 'acme',
        doGenerate: async (call) => {
          if (isFirst) {
            isFirst = false;
            // It asks for its turn while the server is away, and this call ends meanwhile.
            other = agent.run('go', { engine });
            restarted = await killThenRestart();
          }
          return model.doGenerate(call);
        },
      },
    });
    const results = [await agent.run('go', { engine }), await other, await agent.run('go', { engine })];
    expect(results.map((result) => result?.termination.kind)).toEqual(results.map(() => 'natural_end'));
    await restarted?.();
    await engine.close();
  });
});
