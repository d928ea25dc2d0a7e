import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initialise, makeServerHome } from './binaries.js';
import { requireBinaries } from './cluster.js';
import { type OwnServer, startServer } from './own-server.js';
import { ask } from './test-database.js';

/** A primary and a standby that receives everything that the primary writes. */
export interface ReplicatedPair {
  readonly primary: OwnServer;
  readonly standby: OwnServer;
  /** From now on the standby gets nothing more. A primary that waits for it is told not to. */
  detach(): Promise<void>;
  /** Makes the standby a primary. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** The primary confirms nothing that the standby does not have. */
export async function startReplicatedPair(): Promise<ReplicatedPair> {
  const home = makeServerHome(requireBinaries());
  const data = initialise(home);
  // The copy of a server that has been shut down is a standby as soon as it is told so: this needs no program besides the server itself.
  const copy = join(home.folder, 'standby');
  cpSync(data, copy, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(copy, 'standby.signal'), '');
  if (home.user !== undefined) execFileSync('chown', ['-R', `${home.user.uid}:${home.user.gid}`, copy]);
  execFileSync('chmod', ['700', copy]);
  const shared = ['fsync=off', 'wal_keep_size=1GB'];
  const primary = await startServer({ home, data, settings: shared });
  const { hostname, port } = new URL(primary.url);
  const from = `host=${hostname} port=${port} user=postgres application_name=standby`;
  const settings = [...shared, 'wal_retrieve_retry_interval=100ms'];
  writeFileSync(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
  const standby = await startServer({ home, data: copy, settings });
  const set = async (url: string, words: string): Promise<void> => {
    await ask(url, `ALTER SYSTEM SET ${words}`);
    await ask(url, 'SELECT pg_reload_conf()');
  };
  await set(primary.url, "synchronous_standby_names = 'standby'");
  const isAttached = async (): Promise<boolean> => {
    const rows = await ask(primary.url, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    return rows.length > 0;
  };
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await until(isAttached);
  return {
    primary,
    standby,
    detach: async () => {
      await set(primary.url, "synchronous_standby_names = ''");
      await set(standby.url, "primary_conninfo = ''");
      await until(async () => (await ask(primary.url, 'SELECT 1 FROM pg_stat_replication')).length === 0);
    },
    promote: async () => {
      await ask(standby.url, 'SELECT pg_promote(true, 3600)');
      await until(async () => {
        const [row] = await ask<{ down: boolean }>(standby.url, 'SELECT pg_is_in_recovery() AS down');
        return row?.down === false;
      });
    },
    stop: async () => {
      await Promise.all([primary.end(), standby.end()]);
      rmSync(home.folder, { recursive: true, force: true });
    },
  };
}
