import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { SessionClient } from '../postgres/connection/open-pool.js';
import { Presence } from './presence.js';

/** A session that has locks, and answers when it is told to. */
class FakeSession extends EventEmitter {
  readonly locked = new Set<string>();
  isStandby = false;
  readonly #answers: (() => void)[] = [];

  query({ text, values = [] }: { readonly text: string; readonly values?: readonly unknown[] }): Promise<object> {
    for (const name of values[1] as readonly string[])
      if (text.includes('unlock')) this.locked.delete(name);
      else this.locked.add(name);
    return new Promise((resolve) =>
      this.#answers.push(() => resolve({ rows: [{ isStandby: this.isStandby }], rowCount: 1 })),
    );
  }

  answer(): void {
    for (const answer of this.#answers.splice(0)) answer();
  }

  readonly unref = vi.fn();
  readonly ref = vi.fn();

  async end(): Promise<void> {
    this.emit('end');
  }
}

class Server {
  readonly sessions: FakeSession[] = [];
  isAway = false;

  readonly open = async (): Promise<SessionClient> => {
    if (this.isAway) throw new Error('away');
    const session = new FakeSession();
    this.sessions.push(session);
    return session as unknown as SessionClient;
  };

  get last(): FakeSession | undefined {
    return this.sessions.at(-1);
  }
}

async function shown(...names: readonly string[]): Promise<{ readonly server: Server; readonly presence: Presence }> {
  const server = new Server();
  const presence = new Presence(server.open);
  const done = presence.show(names);
  await expect.poll(() => server.last?.locked.size).toBe(names.length);
  server.last?.answer();
  await done;
  return { server, presence };
}

test('a session that is lost is replaced by one that shows the same, although nobody asks', async () => {
  const { server, presence } = await shown('a', 'b');
  await server.last?.end();
  await expect.poll(() => server.sessions.length).toBe(2);
  await expect.poll(() => server.last?.locked).toEqual(new Set(['a', 'b']));
  server.last?.answer();
  await presence.close();
  expect(server.sessions).toHaveLength(2);
});

test('a server that is away is asked again', async () => {
  const { server, presence } = await shown('a');
  server.isAway = true;
  await server.last?.end();
  await expect(presence.ensure()).rejects.toThrow('away');
  server.isAway = false;
  await expect.poll(() => server.last?.locked, { timeout: 20_000 }).toEqual(new Set(['a']));
  await expect.poll(() => server.sessions.length, { timeout: 20_000 }).toBe(2);
  server.last?.answer();
  await presence.close();
});

test('what is shown or hidden while the locks of a new session are under way holds there', async () => {
  const { server, presence } = await shown('a', 'b');
  await server.last?.end();
  await expect.poll(() => server.last?.locked).toEqual(new Set(['a', 'b']));
  const changes = Promise.all([presence.show(['c']), presence.hide(['b'])]);
  server.last?.answer();
  await changes;
  expect(server.last?.locked).toEqual(new Set(['a', 'c']));
  await presence.close();
});

test('a standby, which others do not look at, is left for a server that is none', async () => {
  const { server, presence } = await shown('a');
  await server.last?.end();
  await expect.poll(() => server.sessions.length).toBe(2);
  const [, standby] = server.sessions;
  if (standby !== undefined) standby.isStandby = true;
  await expect.poll(() => standby?.locked).toEqual(new Set(['a']));
  standby?.answer();
  await expect.poll(() => server.sessions.length, { timeout: 20_000 }).toBe(3);
  await expect.poll(() => server.last?.locked).toEqual(new Set(['a']));
  server.last?.answer();
  await presence.ensure();
  await presence.close();
});
