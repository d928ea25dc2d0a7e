import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { postgresEngine } from '../../packages/fullstop/src/engines/postgres/index.js';
import { startProgram } from './start-program.js';
import { ask, isPostgresMissing, testDatabase } from './test-database.js';

const database = testDatabase();

interface FakeProvider {
  readonly url: string;
  /** Every request so far, such as `acme/one`. */
  readonly seen: string[];
  /** Calls of the limited provider that have no answer yet. */
  readonly held: ServerResponse[];
  /** Answers instead of holding. */
  answer: ((response: ServerResponse) => void) | undefined;
}

/** Writes down who asks, and holds the calls of the limited provider until they are answered. */
async function startProvider(): Promise<FakeProvider> {
  const provider: { -readonly [K in keyof FakeProvider]: FakeProvider[K] } = {
    url: '',
    seen: [],
    held: [],
    answer: undefined,
  };
  const server = createServer(({ url = '' }, response) => {
    provider.seen.push(url.slice(1));
    if (!url.startsWith('/acme/')) response.end('free');
    else if (provider.answer !== undefined) provider.answer(response);
    else provider.held.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}

describe.skipIf(isPostgresMissing)('limits of a provider', () => {
  test.each(['postgres', 'dbos'])(
    'hold for all workers on %s: what it asks of one all do, and only so many call at once',
    async (scheduler) => {
      const schema = `providers_${scheduler}`;
      const provider = await startProvider();
      const engine = postgresEngine({ url: database.url, schema, connections: 3, pollMs: 50 });
      onTestFinished(() => engine.close());
      for (const name of ['one', 'two'])
        startProgram('./calling-worker.ts', [database.url, schema, name, provider.url, scheduler]);
      const start = (runId: string, name: string) => engine.start({ runId, name, version: '1', input: 'go' });
      const calls = (): readonly string[] => provider.seen.filter((each) => each.startsWith('acme/'));
      /** Settles when a worker has asked for its turn, and has done something else after that. */
      const hasTried = async (worker: string, count: number, run: string): Promise<void> => {
        await expect.poll(() => provider.seen.filter((each) => each === `about-to-ask/${worker}`)).toHaveLength(count);
        await start(run, `free-${worker}`);
        await engine.waitForEnding(run, 1);
      };

      // The first worker is asked to leave the provider alone for an hour.
      provider.answer = (response) => response.writeHead(429, { 'retry-after': '3600' }).end('slow down');
      await start('refused', 'limited-one');
      expect((await engine.waitForEnding('refused', 1)).termination).toMatchObject({ kind: 'provider_failed' });
      expect(calls()).toEqual(['acme/one']);
      provider.answer = undefined;

      // So the second one does, although nobody told it.
      await start('waiting', 'limited-two');
      await hasTried('two', 1, 'free-1');
      expect(calls()).toEqual(['acme/one']);
      await ask(database.url, `UPDATE ${schema}.providers SET paused_until = clock_timestamp()`);
      await expect.poll(calls).toEqual(['acme/one', 'acme/two']);

      // While its call is under way, the first one waits for its turn.
      await start('next', 'limited-one');
      await hasTried('one', 2, 'free-2');
      expect(calls()).toEqual(['acme/one', 'acme/two']);
      provider.held.shift()?.end('yes');
      expect((await engine.waitForEnding('waiting', 1)).output).toBe('yes');
      await expect.poll(calls).toEqual(['acme/one', 'acme/two', 'acme/one']);
      provider.held.shift()?.end('yes');
      expect((await engine.waitForEnding('next', 1)).output).toBe('yes');
    },
  );
});
