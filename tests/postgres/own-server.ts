import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import type { ServerHome } from './binaries.js';

/** A server of Postgres that a test may kill. */
export interface OwnServer {
  readonly url: string;
  /** Kills the server without a chance to end in good order. */
  kill(): Promise<void>;
  /** Starts it again after a kill or an end, on the same data and port. */
  restart(): Promise<void>;
  end(): Promise<void>;
}

export interface OwnServerOptions {
  readonly home: ServerHome;
  readonly data: string;
  readonly settings: readonly string[];
  /** The query at the end of its address. */
  readonly search?: string;
}

export async function startServer({ home, data, settings, search = '' }: OwnServerOptions): Promise<OwnServer> {
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres${search}`;
  const all = ['listen_addresses=127.0.0.1', 'max_connections=300', 'log_min_messages=fatal', ...settings];
  const start = async (): Promise<ChildProcess> => {
    const args = ['-D', data, '-p', String(port), '-k', home.folder, ...all.flatMap((setting) => ['-c', setting])];
    const started = spawn(join(home.bin, 'postgres'), args, { ...home.user, stdio: 'ignore' });
    await reachable(url, started);
    return started;
  };
  let server = await start();
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  return {
    url,
    kill: () => end('SIGKILL'),
    restart: async () => {
      for (let tries = 0; ; tries += 1)
        try {
          server = await start();
          return;
        } catch (error) {
          // The processes of the killed server hold its memory for a moment.
          if (tries === 100) throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
    },
    end: () => end('SIGINT'),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  return port;
}

/** Asks until the server answers. After a kill its old processes may hold the data for a moment, so that a start is tried again by its caller. */
async function reachable(url: string, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`Postgres ended with ${server.exitCode ?? server.signalCode} before it answered.`);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
