import { describe, expect, onTestFinished, test } from 'vitest';
import type { SpendingReport } from '../../packages/fullstop/src/engines/port/spending.js';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { postgresSpending } from '../../packages/fullstop/src/engines/postgres/postgres-spending.js';
import { makeLine, storeOn } from './cut-line.js';
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
