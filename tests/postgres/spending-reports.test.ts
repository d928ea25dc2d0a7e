import { describe, expect, onTestFinished, test } from 'vitest';
import type { SpendingReport } from '../../packages/fullstop/src/engines/port/spending.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { postgresSpending } from '../../packages/fullstop/src/engines/postgres/postgres-spending.js';
import { defineRun } from '../../packages/fullstop/src/run/define-run.js';
import { terminations } from '../../packages/fullstop/src/termination/terminations.js';
import { makeLine, poolOn, storeOn } from './cut-line.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

const report = (tokens: number): SpendingReport => ({
  runId: 'run',
  ancestors: [],
  tokens,
  costUsd: 0,
  limits: { tokens: 1000 },
});

describe.skipIf(isPostgresMissing)('what a run reports of a budget that it shares', () => {
  test('is written when the server is back, counts once, and never takes the place of a later report', async () => {
    const schema = 'reports';
    const engine = postgresEngine({ url: database.url, schema });
    onTestFinished(() => engine.close());
    await engine.start({ runId: 'run', name: 'work', version: '1' });
    const line = makeLine();
    const store = storeOn(line, { url: database.url, schema, ownerId: 'owner', patienceMs: 600_000 });
    onTestFinished(() => store.close());
    const spending = postgresSpending(store);
    expect(await spending.share(report(100))).toMatchObject([{ runId: 'run', tokens: 100 }]);
    line.losing.push('COMMIT');
    expect(await spending.share(report(200))).toMatchObject([{ runId: 'run', tokens: 200 }]);
    expect(line.losing).toEqual([]);
    for (let more = 300; more < 400; more += 10) {
      const { refused } = line;
      line.isAway = true;
      const shared = [spending.share(report(more)), spending.share(report(more + 5))];
      await expect.poll(() => line.refused - refused).toBeGreaterThan(1);
      line.isAway = false;
      await Promise.all(shared);
      expect(await ask(database.url, `SELECT tokens FROM ${schema}.spending`)).toEqual([{ tokens: more + 5 }]);
    }
  });
});

describe.skipIf(isPostgresMissing)('a run that shares a budget', () => {
  test.each(['spawn', 'step'])('survives a connection that breaks under its report before a %s', async (place) => {
    const line = makeLine();
    const pool = poolOn(line, database.url);
    onTestFinished(() => pool.end());
    const engine = postgresEngine({ pool, schema: `before_${place}`, leaseMs: 60_000 });
    onTestFinished(() => engine.close());
    const breakAt = (now: string): void => {
      if (now === place) line.losing.push('.spending (', '.spending (');
    };
    const spawned = defineRun({
      name: 'spawned',
      run: async (context) => {
        breakAt('step');
        await context.step('spend', ({ charge }) => charge({ inputTokens: 1 }));
        return terminations.naturalEnd();
      },
    });
    const family = defineRun({
      name: 'family',
      limits: { tokens: 1000 },
      run: async (context) => {
        breakAt('spawn');
        return (await (await context.spawn(spawned)).ending()).termination;
      },
    });
    expect((await family.run(undefined, { engine })).termination).toEqual({ kind: 'natural_end' });
    expect(line.losing).toEqual([]);
  });
});
