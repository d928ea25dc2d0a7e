import { tool } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentResult } from '../../packages/fullstop/src/agent/agent.js';
import { runAgent } from '../../packages/fullstop/src/agent/run-agent.js';
import { type Behaviour, type Cell, cellOf, pixel, start } from './behaviours/behaviour.js';
import { behaviours } from './behaviours/index.js';
import { type HurriedClock, hurriedClock } from './hurried-clock.js';
import { type ProviderName, providerNames, providers, type Way, ways } from './providers.js';
import { type ModelServer, startModelServer } from './servers/model-server.js';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

const tools = {
  search: tool({
    description: 'Searches',
    inputSchema: z.object({ q: z.string() }),
    execute: ({ q }) => `found ${q}`,
  }),
  photo: tool({
    description: 'Takes a photo',
    inputSchema: z.object({}),
    execute: () => 'taken',
    toModelOutput: () => ({
      type: 'content',
      value: [
        { type: 'text', text: 'a photo' },
        { type: 'image-data', data: pixel, mediaType: 'image/png' },
      ],
    }),
  }),
};

interface Place {
  readonly provider: ProviderName;
  readonly way: Way;
}

/** Runs a cell of the table and says how it ended, after how many requests and how much time. */
async function perform(cell: Cell, { provider, way }: Place): Promise<{ result: AgentResult; waitedMs: number }> {
  server.reply(...cell.replies);
  const clock = hurriedClock(start);
  const access = { baseURL: server.url, ...(cell.withoutKey !== true && { apiKey: 'sk-secret-1' }) };
  const running = runAgent({
    model: providers[provider](access),
    tools,
    prompt: cell.prompt ?? 'go',
    retry: { initialDelayMs: 1, maximumDelayMs: 30_000 },
    clock,
    ...(cell.settings !== undefined && { settings: cell.settings }),
    ...(way === 'streamed' && { onDelta: () => undefined }),
  });
  const stopWatching = expireWhenStuck(clock);
  const result = (await running.finally(stopWatching)) as unknown as AgentResult;
  return { result, waitedMs: clock.now() - start };
}

/** A limit expires when the server has stopped talking, and never before. */
function expireWhenStuck(clock: HurriedClock): () => void {
  let seen = 0;
  const timer = setInterval(() => {
    // Once for every request: the client needs a moment to go away.
    if (server.stuck() === 0 || server.requests.length === seen) return;
    seen = server.requests.length;
    clock.expire();
  }, 1);
  return () => clearInterval(timer);
}

const titleOf = ({ name }: Behaviour, { because }: Cell): string =>
  because === undefined ? name : `${name} (${because})`;

describe.each(providerNames)('%s', (provider) => {
  describe.each(ways)('%s', (way) => {
    const rows = behaviours.map((behaviour) => ({ behaviour, cell: cellOf(behaviour, provider, way) }));
    const cells = rows.flatMap(({ behaviour, cell }) =>
      typeof cell === 'string' ? [] : [{ title: titleOf(behaviour, cell), cell }],
    );

    for (const { title, cell } of cells) {
      it(title, async () => {
        const { result, waitedMs } = await perform(cell, { provider, way });
        expect(result.termination).toMatchObject(cell.ending);
        expect(server.requests).toHaveLength(cell.requests);
        if (cell.waitedMs !== undefined) expect(waitedMs).toBe(cell.waitedMs);
        if (cell.result !== undefined) expect(result).toMatchObject(cell.result);
        if (cell.wire !== undefined) expect(server.requests.at(-1)).toMatchObject(cell.wire);
        expect(JSON.stringify([result, await result.journal()])).not.toContain('sk-secret-1');
        // A client whose time is over goes away, so that nobody works for nothing.
        await expect.poll(() => server.stuck()).toBe(0);
      });
    }
  });
});

it('says of every cell that cannot be why it cannot', () => {
  const places = providerNames.flatMap((provider) => ways.map((way) => ({ provider, way })));
  const missing = behaviours.flatMap((behaviour) =>
    places.flatMap(({ provider, way }) => {
      const cell = cellOf(behaviour, provider, way);
      return typeof cell === 'string' ? [cell] : [];
    }),
  );
  expect(missing.every((reason) => reason.length > 20)).toBe(true);
});
