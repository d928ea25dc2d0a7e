import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { budget, spenders, tokensOfCall } from './spending.js';
import { startProgram } from './start-program.js';
import { isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

interface FakeProvider {
  readonly url: string;
  /** Who called, in order. */
  readonly callers: string[];
}

/** Answers nobody until two different workers have called; after that everybody at once. */
async function startProvider(): Promise<FakeProvider> {
  const callers: string[] = [];
  const held: ServerResponse[] = [];
  const server = createServer(({ url = '' }, response) => {
    callers.push(url.slice(1));
    held.push(response);
    if (new Set(callers).size > 1) for (const each of held.splice(0)) each.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, callers };
}

describe.skipIf(isPostgresMissing)('a budget of a run', () => {
  test('is shared by the runs that it spawned in two processes, and exceeded by calls that are under way only', async () => {
    const schema = 'family';
    const provider = await startProvider();
    const engine = postgresEngine({ url: database.url, schema, connections: 3, pollMs: 50 });
    onTestFinished(() => engine.close());
    for (const name of ['one', 'two']) startProgram('./spending-worker.ts', [database.url, schema, name, provider.url]);
    await engine.start({ runId: 'family', name: 'family', version: '1' });
    const ending = await engine.waitForEnding('family', 1);
    const calls = provider.callers.length;
    expect(new Set(provider.callers)).toEqual(new Set(['one', 'two']));
    // Each of them alone would have gone up to the budget. Both may look at the same moment, see all but the last call of each other, and begin one more.
    expect(calls).toBeGreaterThanOrEqual(budget / tokensOfCall);
    expect(calls).toBeLessThanOrEqual(budget / tokensOfCall + spenders);
    expect(ending.usage.totalTokens).toBe(calls * tokensOfCall);
    const { runs } = await engine.list({ parentRunId: 'family' });
    expect(runs.map(({ kind }) => kind)).toEqual(Array.from({ length: spenders }, () => 'token_budget'));
    expect(runs.reduce((sum, { usage }) => sum + (usage?.totalTokens ?? 0), 0)).toBe(calls * tokensOfCall);
  });
});
